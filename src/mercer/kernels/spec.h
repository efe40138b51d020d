// The kernel language: text → Kernel. The inverse is Kernel::spec().
//
//   sum      := product ("+" product)*
//   product  := factor ("*" factor)*
//   factor   := postfix ["^" number]
//   postfix  := primary ["[" columns "]"]*
//   primary  := name "(" arguments ")" | name | "(" sum ")" | scalar
//   argument := sum | parameter "=" value                   kernels first, then parameters
//   value    := scalar | "[" number ("," number)* "]" | word, each with qualifiers
//   scalar   := (number | number ".." number) qualifiers    lower..upper is a range to search
//   qualifiers := "!" | "in" number ".." number, or both    fixed; learnt within bounds
//   number   := ["-"] (decimal | decimal "^" decimal | "inf")       2^-15 is a number
//   columns  := (name | "quoted name" | index | begin ":" end) ("," …)*
//
// A number among factors is a learnable scale of the product, wherever it stands: 0.5*rbf(), 0.5!*rbf(),
// (0.5 in 0.1..10)*rbf(); the parentheses are for the eye. A number that scales nothing is a constant kernel: rbf() + 1.
#pragma once

#include <span>
#include <string_view>

#include "mercer/kernels/kernel.h"

namespace mercer {

struct KernelEntry;

/// `own`: kernels of the caller, beside those of the registry; the entries outlive the kernel.
/// Throws InvalidArgument with the text, a caret under the character, what was expected, and the nearest name.
/// Depth and length are bounded, so that hostile text cannot exhaust the stack.
Kernel parse_kernel(std::string_view text, std::span<const KernelEntry* const> own = {});

}  // namespace mercer
