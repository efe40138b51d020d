#include "mercer/kernels/string/text_kernels.h"

#include "mercer/kernels/string/tfidf.h"
#include "mercer/kernels/string/words.h"

namespace mercer {

std::vector<const KernelEntry*> text_kernels() { return {&words_entry(), &tfidf_entry()}; }

}  // namespace mercer
