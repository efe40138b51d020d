// FeatureModel: what kernel PCA, sparse feature analysis, projection pursuit, oriented PCA and canonical correlation
// end in: a few functions of one kernel expansion,
//
//   f_c(x) = Σ_i α_ic k(z_i, x) + b_c,   c = 1 … components
//
// Centring in feature space is no case of its own: with Σ_i α_ic = 0 the centred kernel differs from k by a constant in
// x, which is in b_c. Where the model knows its mean, the part of a sample that the features leave out is known too,
//
//   residual(x) = ‖Φ(x) − μ‖² − Σ_c ⟨v_c, Φ(x) − μ⟩²,   ‖Φ(x) − μ‖² = k(x, x) − 2 g(x) + s,   g(x) = Σ_i w_i k(z_i, x)
//
// (w_i = 1/n where the centres are all of the training rows, s = Σ_ij w_i w_j k(z_i, z_j); nothing of it without
// centring), a score of novelty. The projection of a sample, μ + Σ_c ⟨v_c, Φ(x) − μ⟩ v_c, is an expansion in the
// centres with the weights w_i + Σ_c f_c(x) α_ic / scale_c². References: Schölkopf & Smola (2002), chapter 14; Hoffmann
// (2007) for the novelty score.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mercer/expansion/expansion.h"
#include "mercer/models/features/component_values.h"
#include "mercer/models/model.h"
#include "mercer/models/model_state.h"
#include "mercer/models/option_table.h"

namespace mercer {

/// What a reconstruction needs beside the functions. v_c = Σ_i (α_ic / scale_c) Φ(z_i) are orthonormal.
struct FeatureResidual {
  std::vector<double> scales;        ///< per component: features are scale · ⟨v, Φ(x) − μ⟩ (1, or more where whitened)
  std::vector<double> mean_weights;  ///< w, per centre; empty where the features are not centred
  double mean_norm = 0;              ///< s
};

class FeatureModel final : public FittedModel, public ComponentValues {
 public:
  struct Parts {
    std::string name;  ///< as in the registry: "kpca", "kfa", …
    std::string requested_kernel;
    std::vector<OptionSetting> settings;
    Expansion expansion;                              ///< one output per component
    ComponentValue value = ComponentValue::variance;  ///< what values are
    std::vector<double> values;                       ///< per component, in the order of the components
    std::vector<Index> centre_rows;                   ///< which training row every centre is; empty: they are no rows
    std::optional<FeatureResidual> residual;          ///< where the components are orthonormal directions
    FitReport report;
  };
  /// InvalidArgument where the parts do not fit together.
  explicit FeatureModel(Parts parts);
  /// Looks at everything but the settings, which CheckedFeatures below compares with the model's table of options.
  static std::unique_ptr<FeatureModel> from_state(const ModelState& state, const Run& run);

  std::string_view name() const override { return parts_.name; }
  Task task() const override { return Task::features; }
  const FitReport& report() const override { return parts_.report; }
  const Kernel& kernel() const override { return parts_.expansion.kernel(); }
  /// component1, component2, …
  std::vector<std::string> output_names() const override;
  Matrix<double> predict(const Samples& samples, const Run& run) const override;
  /// "residual" where it is known.
  std::vector<std::string> decision_names() const override;
  /// The residual, never negative; kernel values in double, because it is a difference of nearly equal numbers.
  Matrix<double> decide(const Samples& samples, const Run& run) const override;
  /// Kernels of numeric samples with a residual: pre-images of the projections (expansion/preimage.h). Cost: a search
  /// per sample of a few dozen passes over the centres.
  bool has_reconstruction() const override;
  Matrix<double> reconstruct(const Samples& samples, const Run& run) const override;
  const Expansion* expansion_form() const override { return &parts_.expansion; }
  /// The features alone: residuals and reconstructions are about the centres of the fit and go with them.
  std::unique_ptr<FittedModel> with_expansion(Expansion expansion, const Run& run) const override;
  ModelState state() const override;

  ComponentValue component_value() const override { return parts_.value; }
  const std::vector<double>& component_values() const override { return parts_.values; }

  const Parts& parts() const { return parts_; }

 private:
  Matrix<double> images_of_projections(ConstMatrixView<double> weights, ConstMatrixView<double> starts,
                                       const Run& run) const;

  Parts parts_;
};

/// What make_entry takes for a model of this class: the stored settings must be options of `table`.
template <class Options, std::span<const Option<Options>> (*table)()>
struct CheckedFeatures {
  static std::unique_ptr<FeatureModel> from_state(const ModelState& state, const Run& run) {
    Options options;
    apply_settings<Options>(state.model, table(), state.settings, options);
    options.validate();
    return FeatureModel::from_state(state, run);
  }
};

}  // namespace mercer
