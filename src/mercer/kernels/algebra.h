// Kernels from kernels: the operators of the kernel language. (Functions such as normalize and center are rows of the
// registry: make_kernel("normalize", {}, {k}).)
#pragma once

#include "mercer/data/columns.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

/// k₁ + k₂ + …; nested sums are flattened, so that printing and parsing are inverse.
Kernel sum(std::vector<Kernel> terms);
/// k₁ · k₂ · …; flattened likewise.
Kernel product(std::vector<Kernel> factors);
/// c·k. A scalar is a parameter (`scale`): Gaussian processes learn it. c·(c'·k) stays nested.
Kernel scaled(ParameterValue factor, Kernel kernel);
/// k^p, entry by entry; whole p ≥ 0 keeps a positive kernel positive.
Kernel pow(Kernel kernel, double exponent);
/// k on some columns only: k[age, bmi].
Kernel on_columns(Kernel kernel, ColumnSelection selection);

Kernel operator+(Kernel a, Kernel b);
Kernel operator*(Kernel a, Kernel b);
Kernel operator*(double factor, Kernel kernel);

}  // namespace mercer
