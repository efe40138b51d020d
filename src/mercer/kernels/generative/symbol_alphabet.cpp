#include "mercer/kernels/generative/symbol_alphabet.h"

#include <cmath>
#include <string>

#include "mercer/base/error.h"
#include "mercer/kernels/generative/model_parameters.h"
#include "mercer/kernels/string/string_samples.h"

namespace mercer {

SymbolAlphabet::SymbolAlphabet(std::string_view kernel, const std::vector<double>& symbols) : SymbolAlphabet() {
  for (const double symbol : symbols) {
    if (!(symbol >= 0 && symbol <= 255 && symbol == std::floor(symbol))) {
      reject_argument(std::string(kernel) + ": symbols", symbol, "codes of bytes: whole numbers from 0 to 255");
    }
    std::int16_t& code = codes_[static_cast<Index>(symbol)];
    if (code >= 0) {
      reject_argument(std::string(kernel) + ": symbols", symbol, "different symbols: this one stands twice");
    }
    code = static_cast<std::int16_t>(symbols_.size());
    symbols_.push_back(symbol);
  }
}

SymbolAlphabet SymbolAlphabet::of(std::string_view kernel, const Samples& strings) {
  std::array<bool, 256> seen{};
  for (Index i = 0; i < strings.size(); ++i) {
    for (const char c : string_at(strings, i)) {
      seen[static_cast<unsigned char>(c)] = true;
    }
  }
  std::vector<double> symbols;
  for (std::size_t byte = 0; byte < seen.size(); ++byte) {
    if (seen[byte]) {
      symbols.push_back(static_cast<double>(byte));
    }
  }
  if (symbols.empty()) {
    symbols.push_back('A');
  }
  return {kernel, symbols};
}

ParameterSpec symbols_spec() {
  return fitted_spec("symbols", "the symbols, as codes of bytes; auto: those of the training samples",
                     Constraint::nonnegative_integer);
}

}  // namespace mercer
