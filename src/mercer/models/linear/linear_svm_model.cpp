#include "mercer/models/linear/linear_svm_model.h"

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/data/columns.h"
#include "mercer/expansion/linear_weights.h"
#include "mercer/models/model_entry.h"

namespace mercer {

namespace {

template <class Options>
std::vector<Option<Options>> linear_table(std::vector<Option<Options>> own, const Option<Options>& loss) {
  const std::vector<Option<Options>> shared = {
      loss,
      {"penalty", &Options::penalty,
       "l2: half the squared length of w; l1: the sum of absolute weights, most of which become 0 (squared losses)"},
      {"intercept", &Options::intercept,
       "exact: not penalised; regularized: the weight of a constant column (LIBLINEAR's -B); none: w·x alone"},
      {"intercept_scale", &Options::intercept_scale, "the value of that constant column; the larger, the less penalty",
       Constraint::positive},
      {"tolerance", &Options::tolerance, "of the duality gap, as a part of the primal value", Constraint::positive},
      {"max_passes", &Options::max_passes, "limit on passes over rows (l2) or columns (l1)", Constraint::positive},
  };
  own.insert(own.end(), shared.begin(), shared.end());
  return own;
}

}  // namespace

std::span<const Option<LinearSvcOptions>> linearsvc_option_table() {
  static const std::vector<Option<LinearSvcOptions>> table = linear_table<LinearSvcOptions>(
      {{"C", &LinearSvcOptions::C, "the price of a margin error (LIBLINEAR's -c)", Constraint::positive,
        SearchRange{"2^-10..2^10"}},
       {"class_weight", &LinearSvcOptions::class_weight,
        "balanced (the rarer the class, the heavier), or label:weight,label:weight; multiplies C"},
       {"multiclass",
        &LinearSvcOptions::multiclass,
        "more than two classes: ovr one against the rest, ovo pairs with votes, cs all in one problem (Crammer-Singer, "
        "for the hinge)",
        {Multiclass::one_vs_rest, Multiclass::one_vs_one, Multiclass::crammer_singer}}},
      {"loss",
       &LinearSvcOptions::loss,
       "hinge: max(0, 1 - t f); squared_hinge: its square",
       {LinearLoss::hinge, LinearLoss::squared_hinge}});
  return table;
}

std::span<const Option<LinearSvrOptions>> linearsvr_option_table() {
  static const std::vector<Option<LinearSvrOptions>> table = linear_table<LinearSvrOptions>(
      {{"C", &LinearSvrOptions::C, "the price of an error beyond the tube (LIBLINEAR's -c)", Constraint::positive,
        SearchRange{"2^-10..2^10"}},
       {"epsilon", &LinearSvrOptions::epsilon,
        "half the width of the tube within which errors cost nothing, in target units; a tenth of the target's "
        "deviation if it is not given (0.1 with standardize=no)",
        Constraint::nonnegative, SearchRange{"2^-8..2^-1", RangeUnit::target_deviations}},
       {"standardize", &LinearSvrOptions::standardize,
        "bring targets to mean 0 (where there is an intercept) and variance 1 before the fit; predictions are in their "
        "units"}},
      {"loss",
       &LinearSvrOptions::loss,
       "epsilon_insensitive: max(0, |y - f| - epsilon); squared_epsilon_insensitive: its square",
       {LinearLoss::epsilon_insensitive, LinearLoss::squared_epsilon_insensitive}});
  return table;
}

LinearSvmOptions LinearModelOptions::solver(LinearLoss loss, double epsilon) const {
  constexpr Index most_passes = 1'000'000'000;
  LinearSvmOptions options;
  options.loss = loss;
  options.penalty = penalty;
  options.intercept = intercept;
  options.intercept_scale = intercept_scale;
  options.epsilon = epsilon;
  options.tolerance = tolerance;
  options.max_passes = static_cast<int>(std::min(max_passes, most_passes));
  options.validate();
  return options;
}

void LinearSvcOptions::validate() const {
  check_options<LinearSvcOptions>("linearsvc", linearsvc_option_table(), *this);
  if (is_joint(multiclass) && (loss != LinearLoss::hinge || penalty != LinearPenalty::l2)) {
    throw InvalidArgument("linearsvc: multiclass = cs with loss = " + std::string(word_of(loss)) +
                          " and penalty = " + std::string(word_of(penalty)) +
                          ": Crammer and Singer's problem has loss = hinge and penalty = l2");
  }
  solver(loss, 0);
}

void LinearSvrOptions::validate() const {
  check_options<LinearSvrOptions>("linearsvr", linearsvr_option_table(), *this);
  solver(loss, epsilon.value_or(0));
}

Matrix<double> LinearMachines::values(const Samples& samples, const Run& run) const {
  const Samples numeric = default_columns(samples);
  if (!numeric.is_numeric()) {
    throw DataError("a linear machine takes real vectors, but the samples are " +
                    std::string(to_string(numeric.kind())));
  }
  Matrix<double> values(numeric.size(), count());
  for (Index i = 0; i < values.rows(); ++i) {
    std::ranges::copy(intercepts.view().row(0), values.view().row_data(i));
  }
  add_linear_part(numeric, weights.view(), values.view(), run);
  return values;
}

Matrix<double> LinearModelParts::values(const Samples& samples, const Run& run) const {
  if (input.map() == nullptr) {
    return machines.values(samples, run);
  }
  constexpr Index rows_at_a_time = 4096;
  Matrix<double> values(samples.size(), machines.count());
  for (Index first = 0; first < samples.size(); first += rows_at_a_time) {
    const IndexRange range{first, std::min(samples.size(), first + rows_at_a_time)};
    const Matrix<double> part = machines.values(input.map()->features<double>(samples.slice(range), run), run);
    for (Index i = 0; i < part.rows(); ++i) {
      std::ranges::copy(part.view().row(i), values.view().row_data(first + i));
    }
  }
  return values;
}

ClassCode linear_class_code(const LinearSvcOptions& options, Index classes) {
  return ClassCode::of(options.multiclass, classes);
}

void LinearModelParts::fields(Fields& visit, Index machine_count) {
  visit.kernel(kernel);
  visit.matrix("weights", machines.weights, {any_count, machine_count});
  visit.matrix("intercepts", machines.intercepts, {1, machine_count});
  input.fields(visit, kernel);
  if (input.map() != nullptr) {
    visit.require(input.map()->columns() == machines.weights.rows(),
                  "weights of " + std::to_string(machines.weights.rows()) + " features where the kernel has " +
                      std::to_string(input.map()->columns()));
  }
}

void LinearSvcModel::Parts::fields(Fields& visit) {
  LinearSvcOptions options;
  visit.options(options, linearsvc_option_table());
  const Index k = visit.classes();
  const bool pairs = options.multiclass == Multiclass::one_vs_one;
  LinearModelParts::fields(visit, k == 2 ? 1 : pairs ? k * (k - 1) / 2 : k);
  if (visit.loading()) {
    code = linear_class_code(options, k);
  }
}

void LinearSvrModel::Parts::fields(Fields& visit) { LinearModelParts::fields(visit, visit.outputs()); }

Answers LinearSvcModel::evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const {
  Answers answers{.decisions = parts_.values(samples, run)};
  if (wanted.predictions) {
    answers.predictions = parts_.code.decode_rows(answers.decisions.view());
  }
  return answers;
}

Answers LinearSvrModel::evaluate(const Samples& samples, AnswersWanted /*wanted*/, const Run& run) const {
  return {.predictions = parts_.values(samples, run)};
}

const ModelEntry& linearsvc_entry() {
  static const ModelEntry entry = make_entry<LinearSvcModel>(
      {.name = "linearsvc",
       .aliases = {},
       .summary = "linear support vector classifier by coordinate descent, for large data, texts and sequences",
       .task = Task::classification,
       .default_kernel = "linear()",
       .counterpart = "linearsvr"},
      linearsvc_option_table(), fit_linearsvc);
  return entry;
}

const ModelEntry& linearsvr_entry() {
  static const ModelEntry entry = make_entry<LinearSvrModel>(
      {.name = "linearsvr",
       .aliases = {},
       .summary = "linear support vector regression by coordinate descent, for large data, texts and sequences",
       .task = Task::regression,
       .default_kernel = "linear()",
       .counterpart = "linearsvc",
       .takes_prior = true},
      linearsvr_option_table(), fit_linearsvr);
  return entry;
}

}  // namespace mercer
