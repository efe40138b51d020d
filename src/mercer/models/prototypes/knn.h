// k nearest neighbors in a kernel's feature space, d² = k(x, x) + k(z, z) − 2k(x, z), for classes (`knnc`) and numbers
// (`knnr`). The training samples are the model. A linear kernel gives the ordinary method, and so does every kernel
// that falls with the Euclidean distance alone, whatever its width; kernels of strings, sets or tables give it where
// there are no coordinates. References: Fix & Hodges (1951); Murphy (2012), (14.30).
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "mercer/gram/nearest_rows.h"
#include "mercer/models/model.h"
#include "mercer/models/prototypes/neighbors.h"

namespace mercer {

enum class NeighborWeighting { uniform, distance };
constexpr auto words_of(NeighborWeighting) {
  return std::array{Word{NeighborWeighting::uniform, "uniform"}, Word{NeighborWeighting::distance, "distance"}};
}

struct KnnOptions {
  Index neighbors = 5;
  NeighborWeighting weighting = NeighborWeighting::uniform;
  bool loo = false;

  void validate(std::string_view model) const;
};

std::span<const Option<KnnOptions>> knn_option_table();

class KnnModel final : public FittedModel, public Neighbors {
 public:
  struct Parts {
    Task task = Task::regression;  ///< or classification
    KnnOptions options = {};
    Kernel kernel = {};
    Samples samples = {};
    std::vector<double> weights = {};
    Matrix<double> values = {};              ///< regression: targets per sample
    std::vector<Index> sample_classes = {};  ///< classification: the class of every sample

    void fields(Fields& visit);
  };
  /// InvalidArgument where the parts do not fit together.
  KnnModel(ModelHead head, Parts parts, const Run& run);

  Task task() const override { return parts_.task; }
  const Kernel& kernel() const override { return parts_.kernel; }
  bool has_probabilities() const override { return task() == Task::classification; }

  const Parts& parts() const { return parts_; }
  /// The training samples nearest to each sample, nearest first (nearest_rows.h).
  std::vector<std::vector<NearRow>> neighbors(const Samples& samples, const Run& run) const override;

 private:
  /// Predictions: the mean of the neighbors' targets, or the class of most votes (of equal ones the first).
  /// Probabilities: the shares of the neighbors' votes.
  Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const override;
  void fields(Fields& visit) override { parts_.fields(visit); }

  Parts parts_;
  std::shared_ptr<const PreparedKernel> prepared_;
};

/// A sample of weight w stands for w neighbors; `neighbors` larger than all of them together means all.
std::unique_ptr<KnnModel> fit_knn_classifier(const Kernel& kernel, const KnnOptions& options, const TrainingData& data,
                                             const Run& run = {});
/// Several targets at once are possible.
std::unique_ptr<KnnModel> fit_knn_regressor(const Kernel& kernel, const KnnOptions& options, const TrainingData& data,
                                            const Run& run = {});

const ModelEntry& knn_classifier_entry();
const ModelEntry& knn_regressor_entry();

}  // namespace mercer
