// One class: what do samples look like, and which ones do not? The ν-machine that separates them from the origin
// (`oneclass`) and the smallest ball around them (`svdd`),
//
//   oneclass   f(x) = Σ β_i k(x_i, x) − ρ                            ≥ 0 inside
//   svdd       f(x) = R² − ‖Φ(x) − c‖² = 2Σ β_i k(x_i, x) − k(x, x) + R² − ‖c‖²
//
// At most a fraction ν of the training rows is outside, at least a fraction ν are support vectors; where k(x, x) is
// constant both draw the same boundary. `outlier_rate` moves the boundary after the fit: as far in as it can be
// with at most this fraction of the training weight outside, halfway between two decision values that differ, so that
// equal rows stay together. Fractions are shares of the weight of rows.
//
// Labels may say more to oneclass (novelty_labels.h): y_i = −1 for known outliers, and points z_n whose mean Φ₀ is the origin
// in place of that of the feature space,
//
//   min ½ Σ a_i a_j y_i y_j k̃(x_i, x_j),  0 ≤ a_i ≤ w_i,  Σ a_i = νΣw,     k̃(x, x') = ⟨Φ(x) − Φ₀, Φ(x') − Φ₀⟩
//   y_i g(x_i) = ρ on the boundary,  g(x) = Σ a_i y_i k̃(x_i, x),             inside where g ≥ ρ
//
// References: Schölkopf & Smola (2002), chapter 8, (8.42)-(8.51); Tax & Duin (2004).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mercer/expansion/expansion.h"
#include "mercer/models/feature_space_function.h"
#include "mercer/models/model.h"
#include "mercer/models/svm/support_machine.h"
#include "mercer/models/svm/svm_solver_options.h"

namespace mercer {

struct OneClassOptions : SvmSolverOptions {
  double nu = 0.05;
  std::optional<double> outlier_rate = {};
  std::string outlier = {};  ///< oneclass: the label of known outliers; empty: none are known
  std::string origin =
      {};  ///< oneclass: the label of the rows whose mean is the origin; empty: that of the feature space
  /// `model`: oneclass or svdd, for messages.
  void validate(std::string_view model = "oneclass") const;
};

/// svdd has all but the labels.
std::span<const Option<OneClassOptions>> one_class_option_table();
std::span<const Option<OneClassOptions>> svdd_option_table();

class OneClassModel final : public FittedModel, public SupportMachine, public FeatureSpaceFunction {
 public:
  struct Parts {
    OneClassOptions options;
    Expansion expansion;
    std::vector<Index> support_rows;  ///< those of the origin have coefficients too, and are among them

    void fields(Fields& visit);
  };
  OneClassModel(ModelHead head, Parts parts) : FittedModel(std::move(head)), parts_(std::move(parts)) {}

  Task task() const override { return Task::novelty; }
  const Kernel& kernel() const override { return parts_.expansion.kernel(); }
  std::vector<std::string> decision_names() const override { return {"decision"}; }
  const Expansion* expansion_form() const override { return &parts_.expansion; }
  std::unique_ptr<FittedModel> with_expansion(Expansion expansion, const Run& run) const override;
  /// Not of svdd, where k(x, x) is part of the decision.
  bool is_affine_in_feature_space() const override;

  const Expansion& expansion() const override { return parts_.expansion; }
  const std::vector<Index>& support_rows() const override { return parts_.support_rows; }
  const Parts& parts() const { return parts_; }
  /// Whether labels of the targets had a part in the fit.
  bool uses_labels() const { return !parts_.options.outlier.empty() || !parts_.options.origin.empty(); }

 private:
  Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const override;
  void fields(Fields& visit) override { parts_.fields(visit); }

  /// To the border: above 0 inside.
  Matrix<double> distances(const Samples& samples, const Run& run) const;

  Parts parts_;
};

/// Targets are used where the options name one of their labels, by oneclass.
std::unique_ptr<OneClassModel> fit_one_class(const Kernel& kernel, const OneClassOptions& options,
                                             const TrainingData& data, const Run& run = {});
std::unique_ptr<OneClassModel> fit_svdd(const Kernel& kernel, const OneClassOptions& options, const TrainingData& data,
                                        const Run& run = {});

const ModelEntry& one_class_entry();
const ModelEntry& svdd_entry();

}  // namespace mercer
