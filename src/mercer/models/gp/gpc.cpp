#include "mercer/models/gp/gpc.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/text.h"
#include "mercer/models/classes/decision_class.h"
#include "mercer/models/gp/covariance_source.h"
#include "mercer/models/likelihoods/families.h"
#include "mercer/models/model_entry.h"

namespace mercer {

namespace {

constexpr Index average_rows = 64;

}  // namespace

void GpcOptions::validate() const {
  check_options<GpcOptions>("gpc", gpc_option_table(), *this);
  if (inference == GpcInference::variational && (link != GpcLink::logistic || label_noise > 0)) {
    throw InvalidArgument("gpc: inference = variational: bounds the logistic link without label noise, here link = " +
                          std::string(word_of(link)) + " and label_noise = " + shortest(label_noise) +
                          "; use laplace or ep");
  }
}

std::span<const Option<GpcOptions>> gpc_option_table() {
  using O = GpcOptions;
  static const std::array<Option<O>, 10> table{{
      {"link", &O::link,
       "P(second class | f): 1/(1 + exp(-f)) or the normal distribution function; more than two classes: softmax"},
      {"inference", &O::inference,
       "laplace: normal around the mode; ep: expectation propagation, the most accurate, two classes; variational: a "
       "lower bound of the evidence, two classes"},
      {"label_noise", &O::label_noise,
       "two classes: the probability that a label is flipped; above 0 it is where learning starts",
       Limits::from_to_below(0, 0.5)},
      {"optimize", &O::optimize, "learn the kernel's parameters (and the label noise); otherwise they stay as given"},
      {"restarts", &O::restarts, "further random starts of the search, run in parallel",
       Constraint::nonnegative_integer},
      {"max_evaluations", &O::max_evaluations, "of the evidence, per start", Constraint::positive_integer},
      {"search_rows", &O::search_rows,
       "learn from at most so many rows, drawn from every class in proportion (half as many for three classes and "
       "more); the fit itself uses all. 0: learn from all",
       Constraint::nonnegative_integer},
      {"priors", &O::priors, "on the kernel's parameters, as in \"lengthscale: lognormal(0, 1); scale: gamma(2, 1)\""},
      {"class_weight", &O::class_weight,
       "balanced (the rarer the class, the heavier), or label:weight,label:weight; multiplies the weights of rows"},
      {"memory_mb", &O::memory_mb, "what the matrices may take; 0: the machine's memory", Constraint::nonnegative},
  }};
  return table;
}

LikelihoodPtr class_likelihood(const GpcOptions& options) {
  return with_label_noise(options.link == GpcLink::probit ? probit_likelihood() : logistic_likelihood(),
                          options.label_noise);
}

void GpcModel::Parts::fields(Fields& visit) {
  visit.options(options, gpc_option_table());
  const Index classes = visit.classes();
  visit.expansion(mean, {.outputs = classes == 2 ? 1 : classes, .part = ParametricPart::none});
  const Index centers = mean.centers().size();
  if (classes == 2) {
    visit.column("precision", precision, centers);
    return;
  }
  visit.column("row_weights", rows.weights, centers, Constraint::positive);
  std::vector<Index> numbers(rows.classes.begin(), rows.classes.end());
  visit.indices("row_classes", numbers, centers, classes);
  if (visit.loading()) {
    std::ranges::transform(numbers, std::back_inserter(rows.classes),
                           [](Index number) { return static_cast<std::int32_t>(number); });
  }
  visit.matrix("latent", rows.latent, {centers, classes});
}

GpcModel::GpcModel(ModelHead head, Parts parts, const Run& run)
    : FittedModel(std::move(head)), parts_(std::move(parts)) {
  if (classes().size() > 2) {
    several_ = std::make_unique<const SoftmaxPosterior>(parts_.mean, parts_.rows, run);
    return;
  }
  likelihood_ = class_likelihood(parts_.options);
  auto reduction = make_reduction({.kind = CovarianceKind::curvature, .diagonal = parts_.precision},
                                  parts_.mean.kernel(), parts_.mean.centers());
  binary_ = std::make_unique<const GaussianPosterior>(parts_.mean, std::move(reduction), ParametricUncertainty{},
                                                      PriorCovariance::included, std::nullopt, run);
}

std::vector<std::string> GpcModel::decision_names() const {
  return binary_ ? std::vector<std::string>{classes()[1]} : classes();
}

std::vector<double> GpcModel::latent_variances(const Samples& samples, const Run& run) const {
  if (!binary_) {
    throw InvalidArgument("gpc: latent variances are for two classes; here every sample has a covariance of classes");
  }
  Matrix<double> means(samples.size(), 1);
  std::vector<double> variances(samples.size());
  binary_->moments(samples, means.view(), variances, run);
  return variances;
}

Answers GpcModel::evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const {
  return binary_ ? evaluate_two(samples, wanted, run) : evaluate_several(samples, wanted, run);
}

Answers GpcModel::evaluate_two(const Samples& samples, AnswersWanted wanted, const Run& run) const {
  Answers answers{.decisions = Matrix<double>(samples.size(), 1)};
  std::vector<double> variances;
  if (wanted.probabilities) {
    variances.resize(samples.size());
    binary_->moments(samples, answers.decisions.view(), variances, run);
  } else {
    binary_->means(samples, answers.decisions.view(), run);
  }
  const Matrix<double>& means = answers.decisions;
  if (wanted.predictions) {
    // Both links are symmetric: the averaged probability is one half or more exactly where the latent mean is 0 or more.
    answers.predictions = classes_of_values(means.view());
  }
  if (wanted.probabilities) {
    answers.probabilities = averaged(means.view(), variances, run);
  }
  return answers;
}

Matrix<double> GpcModel::averaged(ConstMatrixView<double> means, std::span<const double> variances,
                                  const Run& run) const {
  Matrix<double> result(means.rows(), 2);
  parallel_for(run, block_count(means.rows(), average_rows), [&](Index block) {
    const IndexRange rows = block_range(means.rows(), average_rows, block);
    for (Index i = rows.begin; i < rows.end; ++i) {
      // The smaller of the two keeps its digits that way.
      const Index likely = class_of_value(means(i, 0));
      const double other = std::exp(likelihood_->tilted(likely == 1 ? -1 : 1, means(i, 0), variances[i]).log_z);
      result(i, 1 - likely) = other;
      result(i, likely) = 1 - other;
    }
  });
  return result;
}

Answers GpcModel::evaluate_several(const Samples& samples, AnswersWanted wanted, const Run& run) const {
  Answers answers;
  if (wanted.decisions) {
    answers.decisions = parts_.mean.values(samples, run);
  }
  if (wanted.probabilities || wanted.predictions) {
    answers.probabilities = several_->probabilities(samples, run);
  }
  if (wanted.predictions) {
    answers.predictions = classes_of_values(answers.probabilities.view());
  }
  return answers;
}

const ModelEntry& gpc_entry() {
  static const ModelEntry entry = make_entry<GpcModel>(
      {.name = "gpc",
       .aliases = {},
       .summary = "Gaussian process classifier: probabilities averaged over latent functions, parameters by evidence",
       .task = Task::classification,
       .default_kernel = "1*rbf(lengthscale=scale)",
       .counterpart = "gp"},
      gpc_option_table(), fit_gpc);
  return entry;
}

}  // namespace mercer
