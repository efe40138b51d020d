// The Bayes point classifier: of all machines that tell the classes of the rows apart (the version space) the one in their
// middle, found by sampling them (solvers/version_space/bayes_point.h),
//
//   f(x) = ⟨E[w], Φ(x)⟩,   w uniform on {‖w‖ = 1: y_i ⟨w, Φ̃(x_i)⟩ > 0},   Φ̃ that of k + λδ, no offset
//
// Several classes: one such machine per class or per pair (class_code.h). A committee of the sampled machines is kept: the
// share of its members that answer with a class, all machines by their members of one number, is the class's
// probability, (votes + 1)/(members + classes), the rule of succession. No member knows more than which side a row is on.
// Reference: Herbrich, Graepel & Campbell (2001), Bayes point machines, JMLR 1; Schölkopf & Smola (2002), problem 7.21.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/expansion/expansion.h"
#include "mercer/models/classes/class_code.h"
#include "mercer/models/classes/coded_classes.h"
#include "mercer/models/model.h"
#include "mercer/solvers/version_space/hit_and_run.h"

namespace mercer {

struct BayesPointOptions {
  double ridge = 0.01;  ///< λ, in units of the mean of k(x_i, x_i)
  Multiclass multiclass = Multiclass::one_vs_rest;
  Index samples = 1000;  ///< of all chains, per machine
  ConeWalk walk = ConeWalk::reflect;
  Index chains = 4;
  Index thin = 0;          ///< 0: 1, or 20 of hit-and-run
  Index burn_in = 0;       ///< 0: 50 steps, or 1000
  Index committee = 100;   ///< samples that are kept; 0: no probabilities
  double tolerance = 0.1;  ///< of split R̂ − 1
  double memory_mb = 0;    ///< 0: half of the machine's memory

  void validate() const;
};

std::span<const Option<BayesPointOptions>> bayes_point_option_table();

class BayesPointModel final : public FittedModel, public CodedClasses {
 public:
  struct Parts {
    ClassCode code = {};
    Expansion expansion = {};       ///< one output per machine; offsets are 0
    Matrix<double> committee = {};  ///< coefficients on the same centres, the members of one machine side by side

    void fields(Fields& visit);
  };
  /// InvalidArgument where the parts do not fit together.
  BayesPointModel(ModelHead head, Parts parts);

  Task task() const override { return Task::classification; }
  const Kernel& kernel() const override { return parts_.expansion.kernel(); }
  std::vector<std::string> decision_names() const override { return parts_.code.names(classes()); }
  bool has_probabilities() const override { return members() > 0; }
  std::string_view setting_for_probabilities() const override { return "committee=200"; }
  const Expansion* expansion_form() const override { return &parts_.expansion; }
  /// Without the committee.
  std::unique_ptr<FittedModel> with_expansion(Expansion expansion, const Run& run) const override;
  const ClassCode& code() const override { return parts_.code; }

  const Parts& parts() const { return parts_; }
  Index members() const { return parts_.committee.columns() / parts_.code.machines(); }

 private:
  Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const override;
  void fields(Fields& visit) override { parts_.fields(visit); }

  Matrix<double> shares(ConstMatrixView<double> members_values) const;

  Parts parts_;
};

/// InvalidArgument for weights other than 0 and 1 and for kernels that are not positive, DataError for one class only,
/// NumericalError where ridge = 0 and the classes cannot be separated.
std::unique_ptr<BayesPointModel> fit_bayes_point(const Kernel& kernel, const BayesPointOptions& options,
                                                 const TrainingData& data, const Run& run = {});

const ModelEntry& bayes_point_entry();

}  // namespace mercer
