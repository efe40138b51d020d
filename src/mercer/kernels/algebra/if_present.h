// if_present(k): a kernel on columns with missing values. A row is missing where one of the numbers that k looks at is
// NaN, or its text, set, bag, graph or category is empty (readers call a missing category "");
//
//   k(x, y)   where both rows are there
//   weight    where both are missing
//   0         where one is
//
// The missing rows have a direction of their own in feature space, orthogonal to all others: positive whenever k is, and
// no value is invented. The child is prepared on the rows that are there alone: widths, means and document counts of k
// come from them. Columns of the scope that k does not look at do not matter.
//
// On several columns it is each of them: resolve_widths() writes if_present(k)[a, b] as
//
//   if_present(k)[a] + if_present(k)[b],
//
// k(x_a, y_a) and k(x_b, y_b) where these are there: a sum of positive kernels. Where k names columns itself,
// if_present(k[a, b]), or joins them (transform, changepoint, spectral_mixture), it stays one kernel, and a row is there where
// all of them are; so does one whose parts look at columns of different kinds. Fitted models hold resolved kernels: those of before, which meant all columns, stay as they are.
#pragma once

#include <vector>

#include "mercer/data/columns.h"

namespace mercer {

struct KernelEntry;
class Kernel;
class KernelNode;
const KernelEntry& if_present_entry();

/// The columns of a scope on each of which the kernel stands by itself: several where it is if_present(k) on several, and
/// none otherwise. InvalidArgument where they are more than a thousand.
std::vector<ColumnReference> columns_apart(const KernelNode& kernel, const Samples& scope);

/// The same if_present(k) for one of so many columns: of lists of a number per column it keeps this one's.
Kernel for_column_apart(const KernelNode& if_present, std::size_t column, std::size_t columns);

/// Whether if_present() stands in the kernel.
bool takes_missing(const Kernel& kernel);

}  // namespace mercer
