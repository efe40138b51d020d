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

class PrototypeModel final : public FittedModel {
 public:
  struct Parts {
    std::string name;  ///< as in the registry: "kmeans", "kmedoids", "medoidc"
    std::string requested_kernel;
    std::vector<OptionSetting> settings;
    Expansion points;                  ///< f, one output per point
    std::vector<Index> point_rows;     ///< medoids: which training row every point is; empty for means
    std::vector<Index> point_classes;  ///< of a classifier: the class of every point
    std::vector<std::string> classes;  ///< empty: points are clusters
    std::string output_name;
    FitReport report;
  };
  /// InvalidArgument where the parts do not fit together.
  explicit PrototypeModel(Parts parts);
  static std::unique_ptr<PrototypeModel> from_state(const ModelState& state, const Run& run);

  std::string_view name() const override { return parts_.name; }
  Task task() const override { return parts_.classes.empty() ? Task::clustering : Task::classification; }
  const FitReport& report() const override { return parts_.report; }
  const Kernel& kernel() const override { return parts_.points.kernel(); }
  std::vector<std::string> output_names() const override;
  std::vector<std::string> classes() const override { return parts_.classes; }
  /// The nearest point's cluster or class; of equal distances the first point.
  Matrix<double> predict(const Samples& samples, const Run& run) const override;
  std::vector<std::string> decision_names() const override;
  /// Clusters: squared distances to the points. Two classes: how much farther the nearest point of the first class is
  /// than that of the second, in squared distances. More: minus the squared distance to the nearest point of each.
  Matrix<double> decide(const Samples& samples, const Run& run) const override;
  const Expansion* expansion_form() const override { return &parts_.points; }
  std::unique_ptr<FittedModel> with_expansion(Expansion expansion, const Run& run) const override;
  ModelState state() const override;

  const Parts& parts() const { return parts_; }
  /// ‖Φ(x_i) − p_c‖², samples × points; rounding below 0 is clamped.
  Matrix<double> squared_distances(const Samples& samples, const Run& run) const;

 private:
  std::size_t nearest_point(std::span<const double> distances) const;
  Matrix<double> class_values(ConstMatrixView<double> distances) const;

  Parts parts_;
};

}  // namespace mercer
