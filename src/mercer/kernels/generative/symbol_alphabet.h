// The symbols (bytes) that a model of strings knows, numbered from 0.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "mercer/data/samples.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/parameter.h"

namespace mercer {

class SymbolAlphabet {
 public:
  SymbolAlphabet() { codes_.fill(-1); }
  /// Symbols must differ and lie in 0 … 255: InvalidArgument naming the kernel.
  SymbolAlphabet(std::string_view kernel, const std::vector<double>& symbols);
  /// Every byte that stands in one of the strings, ascending; "A" if there is none.
  static SymbolAlphabet of(std::string_view kernel, const Samples& strings);

  Index size() const { return static_cast<Index>(symbols_.size()); }
  /// −1 for a symbol outside the alphabet.
  int code(char symbol) const { return codes_[static_cast<unsigned char>(symbol)]; }
  /// Byte values, as the parameter `symbols` holds them.
  const std::vector<double>& symbols() const { return symbols_; }

 private:
  std::vector<double> symbols_;
  std::array<std::int16_t, 256> codes_ = {};
};

/// The parameter `symbols`.
ParameterSpec symbols_spec();

}  // namespace mercer
