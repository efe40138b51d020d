// Term frequency times inverse document frequency, then cosine (lectures M5):
//
//   φ_w(x) = log(1 + c_w(x)) · log(N / (1 + df_w)),      k(x, y) = φ(x)·φ(y) / (‖φ(x)‖ ‖φ(y)‖)
//
// c_w(x) counts word w in text x; N is the number of training texts and df_w the number of those that have w. Both are
// learnt from the training texts alone. The sign is kept: a word of every text has the slightly negative weight
// log(N/(N+1)), one of all texts but one the weight 0. Words that no training text has are left out, from the length
// ‖φ(x)‖ too; so are those in fewer than min_df or in more than max_df · N texts (stop words, learnt instead of listed).
// idf=smooth is scikit-learn's log((1 + N)/(1 + df)) + 1: with counts=counts the kernel is the inner product of its
// TfidfVectorizer's rows (min_length=2). A text without known words has kernel value 0 with every other, itself included.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& tfidf_entry();

}  // namespace mercer
