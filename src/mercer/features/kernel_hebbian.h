// The kernel Hebbian algorithm: kernel PCA one sample at a time, with O(n·components) memory (and the rows of
// K where there are at most 5000). Sample i is projected,
// y = αᵀ k̃(·, x_i), and
//
//   α ← α + η (e_i yᵀ − α·LT(y yᵀ)ᵀ),   LT: the lower triangle with the diagonal
//
// which pulls the first direction to the sample like Oja's rule and every further one to what is left of it. The gain
// of a component is the inverse of its variance so far, and falls as τ/(τ + t). References: Sanger (1989); Kim, Franz &
// Schölkopf (2005), Iterative kernel principal component analysis for image modeling; Günter, Schraudolph &
// Vishwanathan (2007) for gains per component.
#pragma once

#include "mercer/features/kernel_pca.h"

namespace mercer {

struct KernelHebbianOptions {
  Index epochs = 100;       ///< at most so many passes over the rows
  double rate = 0.1;        ///< η of the first epochs, in units of 1/variance
  double accuracy = 1e-3;   ///< stop where the largest residual ‖K̃u − κu‖ is below this times κ_1
  Index check_epochs = 10;  ///< the residual costs a product with K: every so many epochs

  void validate() const;
};

/// components ≥ 1. Every epoch visits each row once, with a gain that is in proportion to its weight, in a
/// random order that comes from run.seed(). Every epoch takes n
/// rows of the Gram matrix, one by one, on one thread: O(n²·components). What the iteration found is at last made
/// orthonormal and sorted (Rayleigh-Ritz in its span). Positive kernels, with centring also conditional ones.
KernelPca kernel_hebbian(const Gram<double>& gram, std::span<const double> weights, const KernelPcaOptions& pca,
                         const KernelHebbianOptions& options, const Run& run);

}  // namespace mercer
