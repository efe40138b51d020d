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
    Expansion expansion;                              ///< one output per component
    ComponentValue value = ComponentValue::variance;  ///< what values are
    std::vector<double> values;                       ///< per component, in the order of the components
    std::vector<Index> center_rows;                   ///< which training row every centre is; empty: they are no rows
    std::optional<FeatureResidual> residual;          ///< where the components are orthonormal directions

    void fields(Fields& visit);
  };
  /// InvalidArgument where the parts do not fit together.
  FeatureModel(ModelHead head, Parts parts);

  Task task() const override { return Task::features; }
  const Kernel& kernel() const override { return parts_.expansion.kernel(); }
  /// "residual" where it is known.
  std::vector<std::string> decision_names() const override;
  /// Kernels of numeric samples with a residual: pre-images of the projections (expansion/preimage.h). Cost: a search
  /// per sample of a few dozen passes over the centres.
  bool has_reconstruction() const override;
  Matrix<double> reconstruct(const Samples& samples, const Run& run) const override;
  const Expansion* expansion_form() const override { return &parts_.expansion; }
  /// The features alone: residuals and reconstructions are about the centres of the fit and go with them.
  std::unique_ptr<FittedModel> with_expansion(Expansion expansion, const Run& run) const override;

  ComponentValue component_value() const override { return parts_.value; }
  const std::vector<double>& component_values() const override { return parts_.values; }

  const Parts& parts() const { return parts_; }

 private:
  /// Decisions: the residual, never negative; kernel values in double, because it is a difference of nearly equal
  /// numbers.
  Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const override;
  void fields(Fields& visit) override { parts_.fields(visit); }

  Matrix<double> residuals(const Samples& samples, const Run& run) const;

  Matrix<double> images_of_projections(ConstMatrixView<double> weights, ConstMatrixView<double> starts,
                                       const Run& run) const;

  Parts parts_;
};

/// component1, component2, …: what the outputs of feature models are called.
std::vector<std::string> component_names(Index components);

}  // namespace mercer
