// Sparse kernel feature analysis (features/sparse_features.h) as a model: p features that are functions of p training
// rows, found one after the other by the variance of their outputs.
#pragma once

#include <array>
#include <memory>

#include "mercer/base/words.h"
#include "mercer/features/sparse_features.h"
#include "mercer/models/features/feature_model.h"
#include "mercer/models/model.h"

namespace mercer {

/// Which rows may become the next feature; automatic: all of them where there are not too many.
enum class KfaSearch { automatic, all, random };
constexpr auto words_of(KfaSearch) {
  return std::array{Word{KfaSearch::automatic, "automatic"}, Word{KfaSearch::all, "all"},
                    Word{KfaSearch::random, "random"}};
}

struct KfaOptions {
  Index components = 10;
  SparseFeatureMode mode = SparseFeatureMode::projection;
  double norm = 1;
  KfaSearch search = KfaSearch::automatic;
  Index candidates = 59;
  double confidence = 0;
  double tolerance = 1e-10;
  double memory_mb = 0;

  void validate() const;
};

std::span<const Option<KfaOptions>> kfa_option_table();

/// Cost and memory: features/sparse_features.h; the Gram matrix is stored where half of memory_mb allows it. Targets are
/// not used. InvalidArgument for a kernel that is not positive definite (mode removal takes any), DataError where no
/// output varies.
std::unique_ptr<FeatureModel> fit_kfa(const Kernel& kernel, const KfaOptions& options, const TrainingData& data,
                                      const Run& run = {});

const ModelEntry& kfa_entry();

}  // namespace mercer
