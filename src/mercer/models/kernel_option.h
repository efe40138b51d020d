// A kernel among the options of a model: parsed once, and written as the user wrote it.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "mercer/kernels/kernel.h"
#include "mercer/kernels/spec.h"

namespace mercer {

class KernelOption {
 public:
  /// Its text is the kernel's own.
  KernelOption(Kernel kernel)  // NOLINT(google-explicit-constructor): where there is a kernel, no text is needed
      : text_(kernel.spec()), kernel_(std::move(kernel)) {}
  /// InvalidArgument as parse_kernel() throws it.
  static KernelOption parse(std::string_view text) { return {std::string(text), parse_kernel(text)}; }

  const Kernel& kernel() const { return kernel_; }
  const std::string& text() const { return text_; }

 private:
  KernelOption(std::string text, Kernel kernel) : text_(std::move(text)), kernel_(std::move(kernel)) {}

  std::string text_;
  Kernel kernel_;
};

}  // namespace mercer
