// if_present(k): a kernel on columns with missing values. A row is missing where one of the scope's numbers is NaN or its
// text is empty;
//
//   k(x, y)   where both rows are there
//   weight    where both are missing
//   0         where one is
//
// The missing rows have a direction of their own in feature space, orthogonal to all others: positive whenever k is, and
// no value is invented. Widths of k come from the rows that are there.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& if_present_entry();

}  // namespace mercer
