// Linear support vector machines with the weights themselves as the model: `linearsvc` and `linearsvr`,
//
//   min P(w) + Σ_i C_i loss(t_i, w·x_i + b),      P(w) = ½‖w‖² or ‖w‖₁,      C_i = C · class weight · sample weight
//
// by coordinate descent (solvers/linear/linear_svm.h): for data with many rows or sparse data with many columns, where svc and
// svr with a linear kernel would need all pairs of rows. A model holds w and b per machine, no samples. More than two
// classes: one machine per class against the rest, or per pair (class_code.h), or all in one problem
// (linear_joint.cpp); several targets: one machine each. Machines are solved in parallel. Reference: Fan, Chang, Hsieh,
// Wang & Lin (2008).
//
// Kernels with explicit sparse features, such as tfidf() and weighted_degree(), are linear functions of these: x is then
// Φ(x), and a model holds the vocabulary beside w (explicit_input.h).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mercer/models/classes/class_code.h"
#include "mercer/models/classes/class_weights.h"
#include "mercer/models/classes/coded_classes.h"
#include "mercer/models/feature_space_function.h"
#include "mercer/models/linear/explicit_input.h"
#include "mercer/models/linear/feature_weights.h"
#include "mercer/models/model.h"
#include "mercer/solvers/linear/linear_svm.h"

namespace mercer {

struct LinearModelOptions {
  double C = 1;
  LinearPenalty penalty = LinearPenalty::l2;
  LinearIntercept intercept = LinearIntercept::exact;
  double intercept_scale = 1;
  double tolerance = 1e-3;
  Index max_passes = 1000;

  /// The solver's options. Throws InvalidArgument as LinearSvmOptions::validate() does.
  LinearSvmOptions solver(LinearLoss loss, double epsilon) const;
};

struct LinearSvcOptions : LinearModelOptions {
  LinearLoss loss = LinearLoss::hinge;  ///< or its square
  ClassWeights class_weight;
  Multiclass multiclass = Multiclass::one_vs_rest;  ///< or one_vs_one, or crammer_singer
  void validate() const;
};

struct LinearSvrOptions : LinearModelOptions {
  LinearLoss loss = LinearLoss::epsilon_insensitive;  ///< or its square
  std::optional<double> epsilon = {};                 ///< in target units; a tenth of their deviation where not given
  bool standardize = true;                            ///< targets to mean 0 (with an intercept) and variance 1
  void validate() const;
};

std::span<const Option<LinearSvcOptions>> linearsvc_option_table();
std::span<const Option<LinearSvrOptions>> linearsvr_option_table();

/// What Crammer & Singer's problem is solved from: rows that all count.
struct JointLinearProblem {
  Samples samples;
  std::span<const std::int32_t> classes;
  Index class_count = 0;
  std::span<const double> bounds;  ///< C_i
};

/// What both models are made of.
struct LinearModelParts {
  Kernel kernel;
  LinearMachines machines;
  ExplicitInput input = {};

  void fields(Fields& visit, Index machine_count);
  /// n × machines, of samples as at the fit; blocks of bounded memory.
  Matrix<double> values(const Samples& samples, const Run& run) const;
};

class LinearSvcModel final : public FittedModel,
                             public FeatureWeights,
                             public CodedClasses,
                             public FeatureSpaceFunction {
 public:
  struct Parts : LinearModelParts {
    ClassCode code;

    void fields(Fields& visit);
  };
  LinearSvcModel(ModelHead head, Parts parts) : FittedModel(std::move(head)), parts_(std::move(parts)) {}

  Task task() const override { return Task::classification; }
  const Kernel& kernel() const override { return parts_.kernel; }
  std::vector<std::string> decision_names() const override { return parts_.code.names(classes()); }

  const LinearMachines& machines() const override { return parts_.machines; }
  const ExplicitInput& input() const override { return parts_.input; }
  const ClassCode& code() const override { return parts_.code; }

 private:
  Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const override;
  void fields(Fields& visit) override { parts_.fields(visit); }

  Parts parts_;
};

class LinearSvrModel final : public FittedModel, public FeatureWeights, public FeatureSpaceFunction {
 public:
  struct Parts : LinearModelParts {
    void fields(Fields& visit);
  };
  LinearSvrModel(ModelHead head, Parts parts) : FittedModel(std::move(head)), parts_(std::move(parts)) {}

  Task task() const override { return Task::regression; }
  const Kernel& kernel() const override { return parts_.kernel; }

  const LinearMachines& machines() const override { return parts_.machines; }
  const ExplicitInput& input() const override { return parts_.input; }

 private:
  Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const override;
  void fields(Fields& visit) override { parts_.fields(visit); }

  Parts parts_;
};

/// The kernel is linear() or one with explicit features: InvalidArgument for others. DataError for one class only, samples
/// that are not of the kernel's kind, unusable weights or targets; Stopped. A pass costs two operations per nonzero and
/// machine.
std::unique_ptr<LinearSvcModel> fit_linearsvc(const Kernel& kernel, const LinearSvcOptions& options,
                                              const TrainingData& data, const Run& run = {});
std::unique_ptr<LinearSvrModel> fit_linearsvr(const Kernel& kernel, const LinearSvrOptions& options,
                                              const TrainingData& data, const Run& run = {});

/// One machine per class, all in one problem (Crammer & Singer 2001, with their margin of 1), by the dual on kernel
/// values: n² d operations at worst. options.tolerance is that of the KKT conditions.
LinearMachines solve_joint_linear(const JointLinearProblem& problem, const LinearSvcOptions& options, FitReport& report,
                                  const Run& run);

/// How linearsvc answers for so many classes.
ClassCode linear_class_code(const LinearSvcOptions& options, Index classes);

const ModelEntry& linearsvc_entry();
const ModelEntry& linearsvr_entry();

}  // namespace mercer
