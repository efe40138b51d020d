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
    MappedOutput output = MappedOutput::values;  ///< known of the entry
    Kernel kernel;
    std::shared_ptr<const FeatureMap> map;
    Matrix<double> weights;  ///< features × functions
    Matrix<double> offsets;  ///< 1 × functions

    void fields(Fields& visit);
  };
  /// InvalidArgument where the parts do not fit together.
  MappedModel(ModelHead head, Parts parts);

  Task task() const override { return parts_.output == MappedOutput::values ? Task::regression : Task::classification; }
  const Kernel& kernel() const override { return parts_.kernel; }
  std::vector<std::string> decision_names() const override;
  bool has_probabilities() const override { return parts_.output == MappedOutput::logits; }
  /// On Nyström features; null on others.
  const Expansion* expansion_form() const override { return expansion_ ? &*expansion_ : nullptr; }
  /// A model whose features are the functions themselves.
  std::unique_ptr<FittedModel> with_expansion(Expansion expansion, const Run& run) const override;

  const Parts& parts() const { return parts_; }

 private:
  /// Predictions: blocks of rows of bounded memory.
  Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const override;
  void fields(Fields& visit) override { parts_.fields(visit); }

  Matrix<double> values(const Samples& samples, const Run& run) const;

  Parts parts_;
  std::optional<Expansion> expansion_;
};

/// What make_entry takes: the parts to load are known to have this output.
template <MappedOutput output>
struct EmptyMapped {
  MappedModel::Parts operator()() const {
    MappedModel::Parts parts;
    parts.output = output;
    return parts;
  }
};

/// Softmax of logits in place, or the logistic function of one: rows become probabilities of all classes.
Matrix<double> logit_probabilities(ConstMatrixView<double> logits);

}  // namespace mercer
