// Nearest-neighbour density: the ball around x that holds k samples,
//
//   p(x) = k / (N V_d r_k(x)^d),    V_d = π^{d/2} / Γ(d/2 + 1),    predict() = ln p(x)
//
// It follows the data everywhere, does not integrate to 1 (its tails fall as ‖x‖^−d), and is infinite where k samples are
// one point. The same idea for classes is `knnc`. References: Loftsgaarden and Quesenberry (1965); Bishop (2006), 2.5.2.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mercer/models/model.h"
#include "mercer/models/smoothing/training_points.h"
#include "mercer/smoothing/point_tree.h"

namespace mercer {

struct KnnDensityOptions {
  Index k = 0;  ///< 0: √N, rounded
  void validate() const;
};

std::span<const Option<KnnDensityOptions>> knn_density_option_table();

class KnnDensityModel final : public FittedModel, public TrainingPoints {
 public:
  struct Parts {
    Matrix<double> points;
    std::vector<double> weights;  ///< empty: all 1
    Index neighbors = 1;

    void fields(Fields& visit);
  };
  KnnDensityModel(ModelHead head, Parts parts);

  Task task() const override { return Task::density; }
  bool has_kernel() const override { return false; }

  Matrix<double> training_points() const override { return Matrix<double>::copy_of(parts_.points.view()); }
  Index neighbors() const { return parts_.neighbors; }

 private:
  Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const override;
  void fields(Fields& visit) override { parts_.fields(visit); }

  Parts parts_;
  PointTree tree_;
};

/// Targets are not used; a weight counts as that many copies of a sample. InvalidArgument where k is more than all.
std::unique_ptr<KnnDensityModel> fit_knn_density(const KnnDensityOptions& options, const TrainingData& data,
                                                 const Run& run = {});

const ModelEntry& knn_density_entry();

}  // namespace mercer
