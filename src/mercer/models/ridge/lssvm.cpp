#include "mercer/models/ridge/lssvm.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "mercer/base/parallel.h"
#include "mercer/base/text.h"
#include "mercer/models/classes/class_code.h"
#include "mercer/models/classes/decision_class.h"
#include "mercer/models/compress_support.h"
#include "mercer/models/model_entry.h"

namespace mercer {

void LssvmOptions::validate() const { check_options<LssvmOptions>("lssvm", lssvm_option_table(), *this); }

std::span<const Option<LssvmOptions>> lssvm_option_table() {
  static const std::array<Option<LssvmOptions>, 11> table{{
      {"C", &LssvmOptions::C, "price of a squared error: K + I/C; 1 if it is neither given nor chosen by select",
       Constraint::positive, SearchRange{"2^-5..2^15", RangeUnit::absolute, "select"}},
      {"select",
       &LssvmOptions::select,
       "how C is chosen where it is not given, over 66 values from one eigendecomposition: loo by the squared "
       "leave-one-out error, errors by the leave-one-out error rate, gcv by generalized cross-validation",
       {PenaltyChoice::none, PenaltyChoice::leave_one_out, PenaltyChoice::leave_one_out_errors,
        PenaltyChoice::generalized_cross_validation}},
      {"select_rows", &LssvmOptions::select_rows,
       "rows, drawn at random, that select looks at (its work grows with their cube); 0: all", Constraint::nonnegative},
      {"class_weight", &LssvmOptions::class_weight,
       "balanced (the rarer the class, the heavier), or label:weight,label:weight; multiplies C"},
      {"probability", &LssvmOptions::probability,
       "fit Platt's sigmoids to the leave-one-out values (three times the work)"},
      {"form", &LssvmOptions::form,
       "dual: one coefficient per row; primal: one weight per column, for linear kernels; automatic: the smaller"},
      {"precision",
       &LssvmOptions::precision,
       "of kernel values and of the factorization",
       {Precision::double_precision, Precision::single_precision}},
      {"method", &LssvmOptions::method,
       "of the dual: exact factorizes the matrix, iterative runs conjugate gradients; auto: exact up to 20000 rows "
       "that fit memory_mb"},
      {"tolerance", &LssvmOptions::tolerance, "of the iteration: the relative residual at which it ends",
       Limits::between(0, 1)},
      {"max_iterations", &LssvmOptions::max_iterations, "of the iteration", Constraint::positive},
      {"memory_mb", &LssvmOptions::memory_mb, "what the matrix may take; 0: the machine's memory",
       Constraint::nonnegative},
  }};
  return table;
}

void LssvmModel::Parts::fields(Fields& visit) {
  visit.options(options, lssvm_option_table());
  const Index outputs = visit.classes() == 2 ? 1 : visit.classes();
  visit.expansion(expansion, {.outputs = outputs, .precision_before = options.precision});
  if (!options.probability) {
    return;
  }
  Matrix<double> numbers(static_cast<Index>(sigmoids.size()), 2);
  for (Index o = 0; o < numbers.rows(); ++o) {
    numbers(o, 0) = sigmoids[o].a;
    numbers(o, 1) = sigmoids[o].b;
  }
  visit.matrix("sigmoids", numbers, {outputs, 2});
  for (Index o = 0; visit.loading() && o < outputs; ++o) {
    sigmoids.push_back({numbers(o, 0), numbers(o, 1)});
  }
}

std::vector<std::string> LssvmModel::decision_names() const {
  return ClassCode::one_vs_rest(static_cast<Index>(classes().size())).names(classes());
}

Answers LssvmModel::evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const {
  Answers answers{.decisions = parts_.expansion.values(samples, run)};
  if (has_probabilities() && (wanted.probabilities || wanted.predictions)) {
    answers.probabilities = calibrated(answers.decisions.view());
  }
  if (wanted.predictions) {
    const Matrix<double>& values = has_probabilities() ? answers.probabilities : answers.decisions;
    answers.predictions = classes_of_values(values.view());
  }
  return answers;
}

Matrix<double> LssvmModel::calibrated(ConstMatrixView<double> values) const {
  constexpr double least = 1e-7;  // no class is ruled out, and the sum of several is never 0
  const auto k = static_cast<Index>(classes().size());
  Matrix<double> result(values.rows(), k);
  for (Index i = 0; i < values.rows(); ++i) {
    if (k == 2) {
      result(i, 1) = std::clamp(parts_.sigmoids.front().probability(values(i, 0)), least, 1 - least);
      result(i, 0) = 1 - result(i, 1);
      continue;
    }
    double total = 0;
    for (Index c = 0; c < k; ++c) {
      result(i, c) = std::max(parts_.sigmoids[c].probability(values(i, c)), least);
      total += result(i, c);
    }
    for (Index c = 0; c < k; ++c) {
      result(i, c) /= total;
    }
  }
  return result;
}

std::unique_ptr<FittedModel> LssvmModel::with_expansion(Expansion expansion, const Run& /*run*/) const {
  require_same_form(*this, parts_.expansion, expansion);
  ModelHead changed = head();
  changed.report = compressed_report(report(), parts_.expansion.centers().size(), expansion.centers().size());
  Parts parts = parts_;
  parts.expansion = std::move(expansion);
  return std::make_unique<LssvmModel>(std::move(changed), std::move(parts));
}

std::optional<std::vector<OptionSetting>> LssvmModel::leave_one_out_settings() const {
  LssvmOptions exact = parts_.options;
  exact.select = PenaltyChoice::none;
  exact.method = RidgeMethod::exact;
  exact.probability = true;  // its sigmoids are fitted to leave-one-out values
  return settings_of(lssvm_option_table(), exact);
}

const ModelEntry& lssvm_entry() {
  static const ModelEntry entry =
      make_entry<LssvmModel>({.name = "lssvm",
                              .aliases = {"ridgeclassifier"},
                              .summary = "least-squares support vector classifier: ridge regression on class codes",
                              .task = Task::classification,
                              .default_kernel = "rbf(gamma=scale)",
                              .counterpart = "ridge",
                              .has_offset = true},
                             lssvm_option_table(), fit_lssvm);
  return entry;
}

}  // namespace mercer
