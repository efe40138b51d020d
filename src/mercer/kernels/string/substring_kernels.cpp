#include "mercer/kernels/string/substring_kernels.h"

#include "mercer/kernels/string/all_substrings.h"
#include "mercer/kernels/string/bag_of_characters.h"
#include "mercer/kernels/string/blended_spectrum.h"
#include "mercer/kernels/string/gapped_kmer.h"
#include "mercer/kernels/string/gappy_pair.h"
#include "mercer/kernels/string/mismatch.h"
#include "mercer/kernels/string/spectrum.h"
#include "mercer/kernels/string/weighted_degree.h"

namespace mercer {

std::vector<const KernelEntry*> substring_kernels() {
  return {&bag_of_characters_entry(), &spectrum_entry(),   &blended_spectrum_entry(), &all_substrings_entry(),
          &mismatch_entry(),          &gappy_pair_entry(), &gapped_kmer_entry(),      &weighted_degree_entry()};
}

}  // namespace mercer
