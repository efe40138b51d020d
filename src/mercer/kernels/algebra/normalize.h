// k(x, y)/√(k(x, x) k(y, y)): the cosine in the feature space. Spec C9. A sample with k(x, x) = 0 is the origin there:
// its values are 0, also with itself.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& normalize_entry();

}  // namespace mercer
