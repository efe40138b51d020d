// Coregionalisation: B[task, task'] with B = W Wᵀ + diag(κ), on one column that numbers the tasks from 0 (or names them:
// a categorical column, whose codes are the tasks). Times a kernel of the inputs it shares strength between tasks.
// Reference: Bonilla, Chai & Williams (2008). W is listed row by row, tasks × rank; a single number fills all of it,
// and then the number of tasks need not be given.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& coregion_entry();

}  // namespace mercer
