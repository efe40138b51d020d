#include "mercer/models/discriminant/kfd.h"

#include <array>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/models/model_entry.h"

namespace mercer {

void KfdOptions::validate() const {
  check_options<KfdOptions>("kfd", kfd_option_table(), *this);
  if (penalty == FisherPenalty::coefficients && form == KfdForm::low_rank) {
    throw InvalidArgument(
        "kfd: form = low_rank has no coefficients of its own to penalise: set penalty=norm, or form=greedy");
  }
}

std::span<const Option<KfdOptions>> kfd_option_table() {
  static const std::array<Option<KfdOptions>, 12> table{{
      {"lambda", &KfdOptions::lambda,
       "penalty: N + lambda R; chosen by leave-one-out (sparse: by generalized cross-validation) if it is not given",
       Constraint::positive},
      {"penalty", &KfdOptions::penalty,
       "what lambda multiplies: norm of the functions, R = K, or the squares of their coefficients, R = I (sparse: "
       "always the sum of absolute coefficients)"},
      {"form", &KfdOptions::form,
       "exact: one coefficient per row; low_rank: by pivoted Cholesky; greedy: few functions, one after the other; "
       "sparse: few functions, by an absolute-value penalty (two classes); automatic: exact up to 10000 rows, else "
       "low_rank (greedy with penalty=coefficients)"},
      {"size", &KfdOptions::size,
       "most kernel functions of low_rank (0: 1000), greedy (0: 200) and sparse (0: as many as it takes)",
       Constraint::nonnegative},
      {"candidates", &KfdOptions::candidates, "random rows of which greedy takes the best; 59: one of the best 5 %",
       Constraint::positive},
      {"tolerance", &KfdOptions::tolerance,
       "greedy stops where three steps in a row lower the objective by less, relatively", Constraint::nonnegative},
      {"threshold", &KfdOptions::threshold,
       "how classes are told apart by the values: bayes (the most probable class, by the densities), or where two are "
       "cut: least_squares, svm (on the values), midpoint of the class means; several: midpoint (the nearest mean) or "
       "bayes; automatic: least_squares, midpoint"},
      {"priors", &KfdOptions::priors,
       "of the classes, for probabilities and threshold=bayes: empty for their shares, equal, or "
       "label:number,label:number"},
      {"calibration", &KfdOptions::calibration,
       "values that threshold and densities are fitted to: left_out (of every row without it, for sparse without its "
       "fold; three times the work of exact) or training"},
      {"class_weight", &KfdOptions::class_weight,
       "balanced (the rarer the class, the heavier), or label:weight,label:weight; multiplies weights"},
      {"select_rows", &KfdOptions::select_rows,
       "rows, drawn at random, that lambda is chosen by (the work grows with their cube); 0: all",
       Constraint::nonnegative},
      {"memory_mb", &KfdOptions::memory_mb, "what matrices may take; 0: the machine's memory", Constraint::nonnegative},
  }};
  return table;
}

void KfdModel::Parts::fields(Fields& visit) {
  visit.options(options, kfd_option_table());
  visit.expansion(expansion, {.outputs = any_count});
  const Index directions = expansion.outputs();
  visit.require(directions >= 1 && directions <= visit.classes() - 1,
                std::to_string(directions) + " directions for " + std::to_string(visit.classes()) +
                    " classes: there is one at least and one less than classes at most");
  densities.fields(visit, visit.classes(), directions);
}

KfdModel::KfdModel(ModelHead head, Parts parts) : FittedModel(std::move(head)), parts_(std::move(parts)) {
  if (parts_.densities.classes() != static_cast<Index>(classes().size()) ||
      parts_.densities.directions() != parts_.expansion.outputs()) {
    throw InvalidArgument("kfd: densities of " + std::to_string(parts_.densities.classes()) + " classes in " +
                          std::to_string(parts_.densities.directions()) + " directions for " +
                          std::to_string(classes().size()) + " classes and " +
                          std::to_string(parts_.expansion.outputs()) + " functions");
  }
}

std::vector<std::string> KfdModel::decision_names() const {
  if (classes().size() == 2) {
    return {classes().back()};
  }
  std::vector<std::string> names;
  for (Index c = 0; c < parts_.expansion.outputs(); ++c) {
    names.push_back("discriminant" + std::to_string(c + 1));
  }
  return names;
}

Answers KfdModel::evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const {
  Answers answers{.decisions = parts_.expansion.values(samples, run)};
  const ConstMatrixView<double> values = answers.decisions.view();
  if (wanted.predictions) {
    answers.predictions = Matrix<double>(samples.size(), 1);
    for (Index i = 0; i < samples.size(); ++i) {
      answers.predictions(i, 0) =
          static_cast<double>(discriminant_class(parts_.options.threshold, values.row(i), parts_.densities));
    }
  }
  if (wanted.probabilities) {
    answers.probabilities = parts_.densities.probabilities(values);
  }
  return answers;
}

std::vector<double> KfdModel::stated_priors() const {
  std::vector<double> priors;
  for (const double log_prior : parts_.densities.log_priors()) {
    priors.push_back(std::exp(log_prior));
  }
  return priors;
}

std::unique_ptr<FittedModel> KfdModel::with_expansion(Expansion expansion, const Run& /*run*/) const {
  if (expansion.outputs() != parts_.expansion.outputs() || !(expansion.kernel() == kernel())) {
    throw InvalidArgument("kfd: other functions must have the kernel " + kernel().spec() + " and " +
                          std::to_string(parts_.expansion.outputs()) + " outputs, these have " +
                          expansion.kernel().spec() + " and " + std::to_string(expansion.outputs()));
  }
  ModelHead changed = head();
  changed.report.notes.push_back("functions replaced by an expansion of " + std::to_string(expansion.centers().size()) +
                                 " centres");
  const ClassDensities& densities = parts_.densities;
  return std::make_unique<KfdModel>(
      std::move(changed),
      Parts{.options = parts_.options,
            .expansion = std::move(expansion),
            .densities = ClassDensities(Matrix<double>::copy_of(densities.means().view()),
                                        Matrix<double>::copy_of(densities.spread().view()),
                                        {densities.log_priors().begin(), densities.log_priors().end()})});
}

const ModelEntry& kfd_entry() {
  static const ModelEntry entry = make_entry<KfdModel>(
      {.name = "kfd",
       .aliases = {"fisher"},
       .summary = "kernel Fisher discriminant: classes far apart and close together each, with probabilities",
       .task = Task::classification,
       .default_kernel = "rbf(gamma=scale)",
       .counterpart = "ridge"},
      kfd_option_table(), fit_kfd);
  return entry;
}

}  // namespace mercer
