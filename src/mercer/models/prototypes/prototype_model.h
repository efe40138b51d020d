// PrototypeModel: what k-means, k-medoids and the nearest-medoid classifier end in: a few points p_c of the kernel's
// feature space, and the nearest one answers,
//
//   ‖Φ(x) − p_c‖² = k(x, x) + f_c(x),   f_c(x) = −2⟨p_c, Φ(x)⟩ + ‖p_c‖²
//
// with f one Expansion: for a mean all samples of the cluster are its centres, for a medoid it is the one sample.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mercer/expansion/expansion.h"
#include "mercer/models/model.h"

namespace mercer {

/// What the points are: means or medoids of clusters, or medoids of classes.
enum class PointKind { means, medoids, class_medoids };

class PrototypeModel final : public FittedModel {
 public:
  struct Parts {
    PointKind kind = PointKind::means;
    Expansion points = {};                  ///< f, one output per point
    std::vector<Index> point_rows = {};     ///< medoids: which training row every point is; empty for means
    std::vector<Index> point_classes = {};  ///< of a classifier: the class of every point

    void fields(Fields& visit);
  };
  /// InvalidArgument where the parts do not fit together.
  PrototypeModel(ModelHead head, Parts parts);

  Task task() const override { return classes().empty() ? Task::clustering : Task::classification; }
  const Kernel& kernel() const override { return parts_.points.kernel(); }
  std::vector<std::string> decision_names() const override;
  const Expansion* expansion_form() const override { return &parts_.points; }
  std::unique_ptr<FittedModel> with_expansion(Expansion expansion, const Run& run) const override;

  const Parts& parts() const { return parts_; }

 private:
  /// Predictions: the nearest point's cluster or class; of equal distances the first point. Decisions: of clusters
  /// the squared distances to the points. Two classes: how much farther the nearest point of the first class is than that
  /// of the second, in squared distances. More: minus the squared distance to the nearest point of each.
  Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const override;
  void fields(Fields& visit) override { parts_.fields(visit); }

  // All by the values of parts_.points, which are squared distances less k(x, x).
  /// ‖Φ(x_i) − p_c‖², samples × points; rounding below 0 is clamped.
  Matrix<double> squared_distances(const Samples& samples, Matrix<double> values, const Run& run) const;
  Matrix<double> nearest_points(ConstMatrixView<double> values) const;
  Matrix<double> distances(const Samples& samples, Matrix<double> values, const Run& run) const;
  Matrix<double> differences(ConstMatrixView<double> values) const;
  std::size_t nearest_point(std::span<const double> distances) const;
  Matrix<double> class_values(ConstMatrixView<double> distances) const;

  Parts parts_;
};

}  // namespace mercer
