// Kernels from kernels: the operators of the kernel language, and the parts that such a kernel is made of. (Functions
// such as normalize and center are rows of the registry: make_kernel("normalize", {}, {k}).)
#pragma once

#include <optional>
#include <vector>

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

// The parts of a kernel, where its outermost operation is the one that is asked for; nothing where it is another.

/// k₁, k₂, … of k₁ + k₂ + …
std::optional<std::vector<Kernel>> as_sum(const Kernel& kernel);
/// k₁, k₂, … of k₁ · k₂ · …
std::optional<std::vector<Kernel>> as_product(const Kernel& kernel);

struct ScaledKernel {
  std::optional<double> factor;  ///< nothing where a search has yet to find it
  Kernel kernel;
};
/// c and k of c·k.
std::optional<ScaledKernel> as_scale(const Kernel& kernel);

struct KernelOnColumns {
  ColumnSelection columns;
  Kernel kernel;
};
/// The subscript and k of k[age, bmi].
std::optional<KernelOnColumns> as_columns(const Kernel& kernel);

/// How k sees the categories that its subscript names, where a coding has made columns of them: kernels on vectors as
/// columns of 0 and 1, all others as they are. Within if_present(), where columns may be missing, all see them as they are.
CategoriesAs categories_seen_by(const Kernel& kernel);
/// The same of a node without children.
CategoriesAs categories_seen_by_leaf(const KernelNode& leaf);

}  // namespace mercer
