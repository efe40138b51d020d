// The bag of words kernel: the features of a text are its words (tokenizer.h), each with its number of occurrences,
//
//   k(x, y) = Σ_w c_w(x) c_w(y)      (lectures M12; Joachims 1998)
//
// O(length) per text. n-grams of neighbouring words count as words of their own. A text without words has no features,
// and kernel value 0 with every other.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& words_entry();

}  // namespace mercer
