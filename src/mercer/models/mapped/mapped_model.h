// MappedModel: a linear model on explicit features, f(x) = Wᵀz(x) + b (features/feature_map.h). mapridge, maplogit and
// mapsvc end in it. The map is part of the model; a prediction costs one feature vector and one product, whatever the
// number of training rows. On Nyström features the functions are kernel expansions, k(z, x)ᵀ(AW) + b with A the map's
// coefficients, and are evaluated as such.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mercer/expansion/expansion.h"
#include "mercer/features/feature_map.h"
#include "mercer/models/mapped/map_options.h"
#include "mercer/models/model.h"

namespace mercer {

/// What the functions are: values, decision values (one for two classes, positive for the second; else one per class),
/// or logits of such.
enum class MappedOutput { values, decisions, logits };

class MappedModel final : public FittedModel {
 public:
  struct Parts {
    std::string name;  ///< as in the registry
    MappedOutput output = MappedOutput::values;
    std::string requested_kernel;
    Kernel kernel;
    std::vector<OptionSetting> settings;  ///< "map" names the map
    std::vector<std::string> output_names;
    std::vector<std::string> classes;
    std::shared_ptr<const FeatureMap> map;
    Matrix<double> weights;  ///< features × functions
    Matrix<double> offsets;  ///< 1 × functions
    FitReport report;
  };
  /// InvalidArgument where the parts do not fit together.
  explicit MappedModel(Parts parts);
  /// The settings are checked by MappedState below.
  static std::unique_ptr<MappedModel> from_state(const ModelState& state, MappedOutput output, MapKind kind,
                                                 const Run& run);

  std::string_view name() const override { return parts_.name; }
  Task task() const override { return parts_.output == MappedOutput::values ? Task::regression : Task::classification; }
  const FitReport& report() const override { return parts_.report; }
  const Kernel& kernel() const override { return parts_.kernel; }
  std::vector<std::string> output_names() const override { return parts_.output_names; }
  /// Blocks of rows of bounded memory.
  Matrix<double> predict(const Samples& samples, const Run& run) const override;
  std::vector<std::string> classes() const override { return parts_.classes; }
  std::vector<std::string> decision_names() const override;
  Matrix<double> decide(const Samples& samples, const Run& run) const override;
  bool has_probabilities() const override { return parts_.output == MappedOutput::logits; }
  Matrix<double> probabilities(const Samples& samples, const Run& run) const override;
  /// On Nyström features; null on others.
  const Expansion* expansion_form() const override { return expansion_ ? &*expansion_ : nullptr; }
  /// A model whose features are the functions themselves.
  std::unique_ptr<FittedModel> with_expansion(Expansion expansion, const Run& run) const override;
  ModelState state() const override;

  const Parts& parts() const { return parts_; }

 private:
  Matrix<double> values(const Samples& samples, const Run& run) const;

  Parts parts_;
  std::optional<Expansion> expansion_;
};

/// What make_entry takes: the stored settings must be options of `table`, and say which map there is.
template <class Options, std::span<const Option<Options>> (*table)(), MappedOutput output>
struct MappedState {
  static std::unique_ptr<MappedModel> from_state(const ModelState& state, const Run& run) {
    Options options;
    apply_settings<Options>(state.model, table(), state.settings, options);
    options.validate();
    return MappedModel::from_state(state, output, options.map, run);
  }
};

/// Softmax of logits in place, or the logistic function of one: rows become probabilities of all classes.
Matrix<double> logit_probabilities(ConstMatrixView<double> logits);

}  // namespace mercer
