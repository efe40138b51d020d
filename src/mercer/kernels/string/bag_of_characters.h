// Bag of characters: how often each symbol occurs, whatever its place; the spectrum kernel of length 1,
//
//   k(x, y) = Σ_c count_c(x) count_c(y)      (lectures M11)
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& bag_of_characters_entry();

}  // namespace mercer
