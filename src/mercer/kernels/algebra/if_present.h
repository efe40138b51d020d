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
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& if_present_entry();

}  // namespace mercer
