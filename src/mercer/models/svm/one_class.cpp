#include "mercer/models/svm/one_class.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/prepared.h"
#include "mercer/models/classes/decision_class.h"
#include "mercer/models/compress_support.h"
#include "mercer/models/merged_rows.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/svm/novelty_labels.h"
#include "mercer/models/svm/novelty_origin.h"
#include "mercer/models/svm/svm_engine.h"
#include "mercer/models/training_rows.h"

namespace mercer {

namespace {

bool is_ball(std::string_view name) { return name == "svdd"; }

std::span<const Option<OneClassOptions>> table_of(std::string_view name) {
  return is_ball(name) ? svdd_option_table() : one_class_option_table();
}

// k(x, x) of new samples.
std::vector<double> diagonal_of(const Expansion& expansion, const Samples& samples, const Run& run) {
  const PreparedKernel prepared(expansion.kernel(), expansion.centers(), Precision::double_precision, run.quiet());
  const std::shared_ptr<const Prepared> rows = prepared.prepare(samples, run.quiet());
  std::vector<double> values(samples.size());
  prepared.kernel().node().diagonal(*rows, {0, samples.size()}, values);
  return values;
}

// The largest boundary with at most the wanted fraction of the weight below it, halfway between two values that differ by
// more than `rounding`: rows that are told apart by rounding alone stay on one side, the upper one. `beside`: how far below
// or above all values it is put where none or all are to be outside.
double outlier_boundary(const std::vector<double>& values, const std::vector<double>& weights, double fraction,
                        double rounding, double beside) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  const double allowed = fraction * total * (1 + 1e-12);
  double boundary = values[order.front()] - beside;
  double below = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    below += weights[order[k]];
    if (below > allowed) {
      return boundary;
    }
    const double value = values[order[k]];
    const double next = k + 1 < order.size() ? values[order[k + 1]] : value + 2 * beside;
    if (next - value > rounding) {
      boundary = (value + next) / 2;
    }
  }
  return boundary;
}

// How far predictions may be off the values that the solver has for the rows of the fit: it adds them up over its steps.
// `cancelling`: the largest term that cancels against others in a prediction, and in no value of the solver.
double rounding_of(const SvmDual& dual, double largest, double cancelling) {
  const double of_values = largest * (dual.kernel_precision == Precision::double_precision ? 1e-12 : 1e-6);
  return std::max(of_values, cancelling * 16 * std::numeric_limits<double>::epsilon());
}

double share_below_zero(const std::vector<double>& values, const std::vector<double>& weights) {
  double below = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    below += values[i] < 0 ? weights[i] : 0;
  }
  return below / std::accumulate(weights.begin(), weights.end(), 0.0);
}

struct Boundary {
  SvmDual dual;
  double factor = 1;           // of the coefficients in the expansion
  double offset = 0;           // of the expansion
  std::vector<double> inside;  // decision value per training row
  OriginTerms origin = {};     // where the origin is the mean of points
};

Boundary hyperplane(SvmDual dual) {
  Boundary result;
  for (const double value : dual.values) {
    result.inside.push_back(value + dual.offset);
  }
  result.offset = dual.offset;
  result.dual = std::move(dual);
  return result;
}

Boundary ball(SvmDual dual, const std::vector<double>& diagonal) {
  Boundary result;
  result.factor = 2;
  result.offset = -2 * dual.offset;
  for (std::size_t i = 0; i < dual.values.size(); ++i) {
    result.inside.push_back(2 * dual.values[i] - diagonal[i] + result.offset);
  }
  result.dual = std::move(dual);
  return result;
}

double largest_size(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) {
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

void move_by(double shift, Boundary& boundary) {
  boundary.offset += shift;
  for (double& value : boundary.inside) {
    value += shift;
  }
}

void move_to_outlier_rate(double rate, const std::vector<double>& weights, Boundary& boundary, FitReport& report) {
  // Predictions repeat the sums of the training rows up to float rounding.
  const double largest = largest_size(boundary.dual.values) * boundary.factor;
  const double rounding = rounding_of(boundary.dual, largest, boundary.origin.size);
  const double shift =
      outlier_boundary(boundary.inside, weights, rate, rounding, std::max(1e-5 * largest, 2 * rounding));
  move_by(-shift, boundary);
  report.notes.push_back("boundary moved by " + shortest(shift) + " to leave a fraction of " + shortest(rate) +
                         " of the rows outside, or as near below as rows of equal values allow");
}

// Rows on the boundary are inside: it is moved out by the accuracy of the solution.
void include_rows_on_it(Boundary& boundary) {
  const double largest = std::max(std::abs(boundary.offset), boundary.factor * largest_size(boundary.dual.values));
  move_by(boundary.factor * boundary.dual.gap + rounding_of(boundary.dual, largest, boundary.origin.size), boundary);
}

void note_no_plane(const SvmDual& dual, FitReport& report) {
  if (std::abs(dual.offset) <= dual.accuracy) {
    report.notes.push_back(
        "rho is 0 within the accuracy of the kernel values: the samples surround the origin of feature space, no plane "
        "separates them from it, and decision values are rounding. Use an rbf kernel, or svdd");
  }
}

// The machine's rows first, then those whose mean is the origin.
std::vector<Index> all_rows(const NoveltyRows& chosen) {
  std::vector<Index> rows = chosen.rows;
  rows.insert(rows.end(), chosen.origin.begin(), chosen.origin.end());
  return rows;
}

void require_usable_origin(const char* model, const Kernel& kernel) {
  if (kernel.node().depends_on_reference()) {
    throw InvalidArgument(
        std::string(model) + ": the kernel " + kernel.spec() +
        " depends on the rows of the fit as a set, those of an origin among them: take the kernel without "
        "centering, or no origin");
  }
}

SvmEngine novelty_engine(const char* model, const Kernel& kernel, const Samples& all, const NoveltyRows& chosen,
                         const OneClassOptions& options, const Run& run) {
  const SvmEngine engine(kernel, all, options, run);
  if (chosen.origin.empty()) {
    return engine;
  }
  require_usable_origin(model, kernel);
  std::vector<double> shares(chosen.rows.size(), 0.0);
  shares.insert(shares.end(), chosen.shares.begin(), chosen.shares.end());
  return engine.about_mean(std::move(shares), run);
}

// Known outliers are to be outside: a wanted rate is one of the others.
std::vector<double> weights_of_class(const std::vector<double>& weights, const std::vector<double>& signs) {
  std::vector<double> result = weights;
  for (std::size_t i = 0; i < signs.size(); ++i) {
    result[i] = signs[i] > 0 ? weights[i] : 0.0;
  }
  return result;
}

void measure_outliers(const Boundary& boundary, const NoveltyRows& chosen, const std::vector<double>& weights,
                      FitReport& report) {
  if (chosen.signs.empty()) {
    return;
  }
  std::vector<double> of_outliers = weights;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    of_outliers[i] = chosen.signs[i] < 0 ? weights[i] : 0.0;
  }
  report.measures.push_back({"fraction of known outliers outside", share_below_zero(boundary.inside, of_outliers)});
}

// Of the rows with a coefficient: the machine's share of the weight, and all rows by their numbers in the data.
double supporting_share(const SupportSet& support, const std::vector<double>& weights) {
  double supporting = 0;
  for (const Index number : support.rows) {
    supporting += number < static_cast<Index>(weights.size()) ? weights[number] : 0.0;
  }
  return supporting / std::accumulate(weights.begin(), weights.end(), 0.0);
}

double squared_center(const SvmDual& dual) {  // βᵀKβ
  return std::inner_product(dual.coefficients.begin(), dual.coefficients.end(), dual.values.begin(), 0.0);
}

void add_facts(const char* model, const Boundary& boundary, FitReport& report) {
  if (is_ball(model)) {
    report.measure(Fact::radius, std::sqrt(boundary.dual.margin));
    report.measures.push_back({"norm of the centre", std::sqrt(std::max(0.0, squared_center(boundary.dual)))});
  } else {
    report.measure(Fact::rho, -boundary.dual.offset);
  }
}

Boundary solve_novelty(const char* model, const SvmEngine& engine, const OneClassOptions& options,
                       const NoveltyRows& chosen, const std::vector<double>& weights, const Run& run) {
  return is_ball(model) ? ball(engine.svdd(options.nu, weights, run), engine.diagonal())
                        : hyperplane(engine.one_class(options.nu, weights, run, chosen.signs));
}

// One coefficient per row of `all`, and the offset of the expansion.
std::vector<double> expansion_coefficients(const Boundary& boundary) {
  std::vector<double> coefficients = boundary.dual.coefficients;
  for (double& beta : coefficients) {
    beta *= boundary.factor;
  }
  coefficients.insert(coefficients.end(), boundary.origin.of_points.begin(), boundary.origin.of_points.end());
  return coefficients;
}

std::unique_ptr<OneClassModel> fit_novelty(const char* model, const Kernel& kernel, const OneClassOptions& options,
                                           const TrainingData& given, const Run& run) {
  options.validate(model);
  // One-class machines are LIBSVM's row by row; balls are our own.
  const MergedRows merged = is_ball(model) ? merged_rows(model, &kernel, given) : MergedRows{given, {}};
  const TrainingData& data = merged.data;
  FitReport report;
  PhaseTimer timer(report);
  timer.start("kernel");
  const NoveltyRows chosen = novelty_rows(model, {options.outlier, options.origin}, data);
  const std::vector<Index> rows = all_rows(chosen);
  // Those of an origin are behind the others, wherever they are in the data.
  const Samples counted = chosen.origin.empty() ? counted_samples(data.samples, rows) : data.samples.select(rows);
  const Kernel resolved = resolve_widths(kernel, counted, rows, data, run);
  const SvmEngine engine = novelty_engine(model, resolved, counted, chosen, options, run);
  const std::vector<double> weights = weights_or_ones(data.weights, chosen.rows);
  timer.start("solve");
  Boundary boundary = solve_novelty(model, engine, options, chosen, weights, run);
  timer.start("model");
  if (!chosen.origin.empty()) {
    boundary.origin = origin_terms(resolved, data.samples.select(chosen.rows), boundary.dual.coefficients,
                                   data.samples.select(chosen.origin), chosen.shares, run);
  }
  const std::vector<double> of_class = weights_of_class(weights, chosen.signs);
  if (options.outlier_rate) {
    move_to_outlier_rate(*options.outlier_rate, of_class, boundary, report);
  } else {
    include_rows_on_it(boundary);
  }
  add_to_report(boundary.dual, report);
  if (!is_ball(model)) {
    note_no_plane(boundary.dual, report);
  }
  report.objective_name = "dual objective";
  report.objective = boundary.dual.objective;
  std::vector<Index> numbers(rows.size());
  std::iota(numbers.begin(), numbers.end(), Index{0});
  const std::vector<double> coefficients = expansion_coefficients(boundary);
  const std::vector<MachineCoefficients> machines = {{numbers, coefficients}};
  SupportSet support = support_set(resolved, machines, static_cast<Index>(rows.size()));
  const auto of_origin = std::ranges::count_if(
      support.rows, [&](Index number) { return number >= static_cast<Index>(chosen.rows.size()); });
  report.measure(Fact::support_vectors, static_cast<double>(support.rows.size()) - static_cast<double>(of_origin));
  report.measure(Fact::support_fraction, supporting_share(support, weights));
  report.measures.push_back({"fraction outside", share_below_zero(boundary.inside, of_class)});
  measure_outliers(boundary, chosen, weights, report);
  add_facts(model, boundary, report);
  std::vector<Index> support_rows;
  for (const Index number : support.rows) {
    support_rows.push_back(rows[number]);
  }
  Matrix<double> offset(1, 1);
  offset(0, 0) = boundary.offset + boundary.origin.offset;
  Expansion expansion(resolved, packed_for_svm(counted, support.rows), std::move(support.coefficients),
                      ParametricPart::constant, std::move(offset), boundary.dual.kernel_precision, run);
  timer.stop();
  return std::make_unique<OneClassModel>(
      ModelHead{.name = model,
                .requested_kernel = kernel.spec(),
                .settings = settings_of(table_of(model), options),
                .output_names = {"inside"},
                .report = std::move(report)},
      OneClassModel::Parts{
          .options = options,
          .expansion = std::move(expansion),
          .support_rows = is_ball(model) ? merged.given(std::move(support_rows)) : std::move(support_rows)});
}

// Of oneclass and svdd.
std::vector<Option<OneClassOptions>> boundary_options() {
  return {
      {"nu", &OneClassOptions::nu,
       "at most this fraction of the rows are outside, at least this fraction are support vectors",
       Limits::above_to(0, 1), SearchRange{"0.01..0.5"}},
      {"outlier_rate", &OneClassOptions::outlier_rate,
       "move the boundary after the fit, so that this fraction of the rows (of their weight) is outside; rows of "
       "equal decision values stay together, and rather inside",
       Limits::from_to(0, 1)},
  };
}

void add_solver_options(std::vector<Option<OneClassOptions>>& lines) {
  const std::vector<Option<OneClassOptions>> solver = SvmSolverOptions::table<OneClassOptions>();
  lines.insert(lines.end(), solver.begin(), solver.end());
}

}  // namespace

void OneClassOptions::validate(std::string_view model) const {
  check_options<OneClassOptions>(model, table_of(model), *this);
  if (is_ball(model) && (!outlier.empty() || !origin.empty())) {
    throw InvalidArgument("svdd takes no labels of outliers and no origin: a ball has neither. Use oneclass");
  }
}

std::span<const Option<OneClassOptions>> one_class_option_table() {
  static const std::vector<Option<OneClassOptions>> table = [] {
    std::vector<Option<OneClassOptions>> lines = boundary_options();
    lines.push_back({"outlier", &OneClassOptions::outlier,
                     "a label of the target: rows that have it are known outliers, to be outside; empty: no row is"});
    lines.push_back(
        {"origin", &OneClassOptions::origin,
         "a label of the target: rows that have it are not learnt, their mean in feature space is the origin "
         "that the others are separated from; empty: the origin itself"});
    add_solver_options(lines);
    return lines;
  }();
  return table;
}

std::span<const Option<OneClassOptions>> svdd_option_table() {
  static const std::vector<Option<OneClassOptions>> table = [] {
    std::vector<Option<OneClassOptions>> lines = boundary_options();
    add_solver_options(lines);
    return lines;
  }();
  return table;
}

std::unique_ptr<OneClassModel> fit_one_class(const Kernel& kernel, const OneClassOptions& options,
                                             const TrainingData& data, const Run& run) {
  return fit_novelty("oneclass", kernel, options, data, run);
}

std::unique_ptr<OneClassModel> fit_svdd(const Kernel& kernel, const OneClassOptions& options, const TrainingData& data,
                                        const Run& run) {
  return fit_novelty("svdd", kernel, options, data, run);
}

Matrix<double> OneClassModel::distances(const Samples& samples, const Run& run) const {
  Matrix<double> values = parts_.expansion.values(samples, run);
  if (is_ball(name())) {
    const std::vector<double> diagonal = diagonal_of(parts_.expansion, samples, run);
    for (Index i = 0; i < samples.size(); ++i) {
      values(i, 0) -= diagonal[i];
    }
  }
  return values;
}

Answers OneClassModel::evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const {
  Answers answers{.decisions = distances(samples, run)};
  if (wanted.predictions) {
    answers.predictions = Matrix<double>(samples.size(), 1);
    for (Index i = 0; i < samples.size(); ++i) {
      answers.predictions(i, 0) = is_positive_side(answers.decisions(i, 0)) ? 1.0 : -1.0;
    }
  }
  return answers;
}

std::unique_ptr<FittedModel> OneClassModel::with_expansion(Expansion expansion, const Run& /*run*/) const {
  require_same_form(*this, parts_.expansion, expansion);
  const Index count = expansion.centers().size();
  ModelHead changed = head();
  changed.report = compressed_report(report(), parts_.expansion.centers().size(), count);
  return std::make_unique<OneClassModel>(
      std::move(changed),
      Parts{.options = parts_.options, .expansion = std::move(expansion), .support_rows = no_training_rows(count)});
}

bool OneClassModel::is_affine_in_feature_space() const { return !is_ball(name()); }

void OneClassModel::Parts::fields(Fields& visit) {
  visit.options(options, table_of(visit.head().name));
  visit.expansion(expansion, {.precision_before = options.precision()});
  visit.indices("support_rows", support_rows, expansion.centers().size(), any_index);
}

const ModelEntry& one_class_entry() {
  static const ModelEntry entry = make_entry<OneClassModel>(
      {.name = "oneclass",
       .aliases = {"one-class"},
       .summary = "one-class support vector machine: the region where a fraction 1 - nu of the samples lies",
       .task = Task::novelty,
       .default_kernel = "rbf(gamma=scale)"},
      one_class_option_table(), fit_one_class);
  return entry;
}

const ModelEntry& svdd_entry() {
  static const ModelEntry entry = make_entry<OneClassModel>(
      {.name = "svdd",
       .aliases = {},
       .summary = "support vector data description: the smallest ball around a fraction 1 - nu of the samples",
       .task = Task::novelty,
       .default_kernel = "rbf(gamma=scale)"},
      svdd_option_table(), fit_svdd);
  return entry;
}

}  // namespace mercer
