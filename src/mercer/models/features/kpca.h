// kpca: kernel PCA as a model. Its predictions are the coordinates of samples along the directions of feature space in
// which the training samples vary most (features/kernel_pca.h); its decision values are what these leave out of a
// sample, a score of novelty; reconstruct() takes the projection back to input space, which removes noise.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "mercer/base/words.h"
#include "mercer/models/features/feature_model.h"

namespace mercer {

enum class KpcaMethod { automatic, exact, leading, pivoted, hebbian };
constexpr auto words_of(KpcaMethod) {
  return std::array{Word{KpcaMethod::automatic, "auto"}, Word{KpcaMethod::exact, "exact"},
                    Word{KpcaMethod::leading, "leading"}, Word{KpcaMethod::pivoted, "pivoted"},
                    Word{KpcaMethod::hebbian, "hebbian"}};
}
/// Of kernel values.
enum class KpcaPrecision { automatic, single_precision, double_precision };
constexpr auto words_of(KpcaPrecision) {
  return std::array{Word{KpcaPrecision::automatic, "auto"}, Word{KpcaPrecision::single_precision, "float"},
                    Word{KpcaPrecision::double_precision, "double"}};
}

struct KpcaOptions {
  Index components = 10;
  bool center = true;
  bool whiten = false;
  KpcaMethod method = KpcaMethod::automatic;
  Index rank = 1000;        ///< centres of method=pivoted
  double tolerance = 1e-9;  ///< of eigenvalues, relative to the largest
  Index epochs = 100;       ///< of method=hebbian
  KpcaPrecision precision = KpcaPrecision::automatic;
  double memory_mb = 0;
  void validate() const;
};

std::span<const Option<KpcaOptions>> kpca_option_table();

/// Targets are not used; a weight is so many repetitions of its row. Kernels that are positive only conditionally need
/// centring, and of an indefinite one the negative directions are left out (counted in the report); there are no
/// residuals then. auto: exact up to 1000 rows, or where more than a tenth of all components is wanted and memory
/// allows; the leading ones up to 100000 rows; pivoted beyond. Cost and accuracy of each: features/kernel_pca.h.
std::unique_ptr<FeatureModel> fit_kpca(const Kernel& kernel, const KpcaOptions& options, const TrainingData& data,
                                       const Run& run = {});

const ModelEntry& kpca_entry();

}  // namespace mercer
