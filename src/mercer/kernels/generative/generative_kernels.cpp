#include "mercer/kernels/generative/generative_kernels.h"

#include "mercer/kernels/generative/density_product.h"
#include "mercer/kernels/generative/fisher_gaussian.h"
#include "mercer/kernels/generative/fisher_hmm.h"
#include "mercer/kernels/generative/fisher_markov.h"
#include "mercer/kernels/generative/hmm_pair.h"
#include "mercer/kernels/generative/probability_product.h"

namespace mercer {

std::vector<const KernelEntry*> generative_kernels() {
  return {&fisher_gaussian_entry(),
          &fisher_gaussian_mixture_entry(),
          &fisher_markov_entry(),
          &fisher_hmm_entry(),
          &probability_product_entry(),
          &probability_product_bags_entry(),
          &probability_product_counts_entry(),
          &probability_product_strings_entry(),
          &probability_product_hmm_entry(),
          &hmm_pair_entry(),
          &density_product_entry(),
          &mixture_product_entry()};
}

}  // namespace mercer
