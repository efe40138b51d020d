#include "mercer/kernels/string/alignment_kernels.h"

#include "mercer/kernels/string/bounded_subsequence.h"
#include "mercer/kernels/string/codon_improved.h"
#include "mercer/kernels/string/local_alignment.h"
#include "mercer/kernels/string/locality_improved.h"
#include "mercer/kernels/string/oligo.h"
#include "mercer/kernels/string/salzberg.h"
#include "mercer/kernels/string/subsequence.h"
#include "mercer/kernels/string/weighted_degree_shifts.h"

namespace mercer {

std::vector<const KernelEntry*> alignment_kernels() {
  return {&subsequence_entry(),     &bounded_subsequence_entry(), &weighted_degree_shifts_entry(), &oligo_entry(),
          &local_alignment_entry(), &locality_improved_entry(),   &codon_improved_entry(),         &salzberg_entry()};
}

}  // namespace mercer
