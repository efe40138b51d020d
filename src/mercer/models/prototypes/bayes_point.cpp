#include "mercer/models/prototypes/bayes_point.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/machine_memory.h"
#include "mercer/base/text.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/models/classes/labeled_rows.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/prototypes/expansion_parts.h"
#include "mercer/models/required_definiteness.h"
#include "mercer/models/training_rows.h"
#include "mercer/solvers/version_space/bayes_point.h"

namespace mercer {

namespace {

constexpr const char* model_name = "bayespoint";
constexpr Index least_draws_per_chain = 4;
// Of steps that were given up: more leave draws where they were, which chains that agree do not tell.
constexpr double harmless_share = 0.1;

void refuse_weights(const LabeledRows& labeled) {
  if (std::ranges::any_of(labeled.weights, [](double weight) { return weight != 1; })) {
    throw InvalidArgument(
        "bayespoint: weights other than 0 and 1 are not possible: a row is on its side of a plane or it is not. Use "
        "svc or "
        "gpc, or repeat rows");
  }
}

HitAndRunOptions walk_options(const BayesPointOptions& options, Index machine) {
  const Index per_chain = std::max(least_draws_per_chain, (options.samples + options.chains - 1) / options.chains);
  const bool reflects = options.walk == ConeWalk::reflect;
  return {.walk = options.walk,
          .chains = options.chains,
          .draws = per_chain + per_chain % 2,
          .thin = options.thin > 0 ? options.thin
                  : reflects       ? 1
                                   : 20,
          .burn_in = options.burn_in > 0 ? options.burn_in
                     : reflects          ? 50
                                         : 1000,
          .stream = machine * options.chains};
}

// The rows of a machine, and on which side they are.
struct MachineRows {
  std::vector<Index> rows;
  std::vector<double> signs;
};

MachineRows rows_of_machine(const ClassCode& code, Index machine, const LabeledRows& labeled) {
  MachineRows result;
  for (std::size_t i = 0; i < labeled.classes.size(); ++i) {
    const double sign = code(machine, labeled.classes[i]);
    if (sign != 0) {
      result.rows.push_back(static_cast<Index>(i));
      result.signs.push_back(sign);
    }
  }
  return result;
}

void require_memory(const ClassCode& code, const LabeledRows& labeled, const BayesPointOptions& options) {
  std::size_t largest = 0;
  for (Index m = 0; m < code.machines(); ++m) {
    largest = std::max(largest, rows_of_machine(code, m, labeled).rows.size());
  }
  const auto n = static_cast<double>(labeled.rows.size());
  const auto rows = static_cast<double>(largest);
  const double bytes = 8 * (n * n + rows * (5 * rows + static_cast<double>(2 * options.samples)));
  if (bytes > allowed_memory(options.memory_mb)) {
    throw InvalidArgument(
        "bayespoint: " + std::to_string(labeled.rows.size()) + " rows need " +
        shortest(std::ceil(bytes / bytes_per_megabyte)) +
        " MB of memory, for matrices of all pairs of rows: allow it by memory_mb, or take fewer rows");
  }
}

double mean_of_diagonal(const Gram<double>& gram) {
  std::vector<double> diagonal(gram.size());
  gram.diagonal(diagonal);
  return std::accumulate(diagonal.begin(), diagonal.end(), 0.0) / static_cast<double>(gram.size());
}

void add_to_report(const BayesPoint& point, const BayesPointOptions& options, const std::string& machine,
                   FitReport& report) {
  const std::string of = machine.empty() ? "" : " (" + machine + ")";
  report.measures.push_back({"split R-hat" + of, point.split_r_hat});
  report.measures.push_back({"effective samples" + of, point.effective_size});
  report.measures.push_back({"length of the mean" + of, point.length});
  if (point.split_r_hat > 1 + options.tolerance) {
    report.status = SolveStatus::iteration_limit;
    report.notes.push_back("the chains have not mixed" + of + ": split R-hat is " + shortest(point.split_r_hat) +
                           ". More steps between samples (thin), more samples or a larger ridge help");
  }
  if (point.given_up > harmless_share) {
    report.status = SolveStatus::iteration_limit;
    report.notes.push_back("a share of " + shortest(point.given_up) + " of the steps was given up" + of +
                           " after too many reflections, and led nowhere: the version space is narrow. "
                           "walk=hitandrun has no such limit; a longer burn_in lets walks find shorter steps, a larger "
                           "ridge makes the version space wider");
  }
}

// Of the machine's members, evenly spaced among its draws, into its columns.
void keep_committee(const BayesPoint& point, const std::vector<Index>& rows, Index members, Index machine,
                    MatrixView<double> committee) {
  for (Index k = 0; k < members; ++k) {
    const Index draw = k * point.draws.columns() / members;
    for (std::size_t a = 0; a < rows.size(); ++a) {
      committee(rows[a], machine * members + k) = point.draws(static_cast<Index>(a), draw);
    }
  }
}

}  // namespace

void BayesPointOptions::validate() const {
  check_options<BayesPointOptions>(model_name, bayes_point_option_table(), *this);
  if (committee > samples) {
    throw InvalidArgument("bayespoint: a committee of " + std::to_string(committee) + " out of " +
                          std::to_string(samples) + " samples: committee may be at most samples");
  }
}

std::span<const Option<BayesPointOptions>> bayes_point_option_table() {
  static const std::vector<Option<BayesPointOptions>> table = {
      {"ridge", &BayesPointOptions::ridge,
       "added to the kernel of every row with itself, in units of the mean of k(x, x): what errors cost; 0: no errors",
       Constraint::nonnegative, SearchRange{"1e-3..10"}},
      {"multiclass", &BayesPointOptions::multiclass,
       "several classes: a machine per class, or per pair (votes or graph)",
       std::vector{Multiclass::one_vs_rest, Multiclass::one_vs_one, Multiclass::graph}},
      {"samples", &BayesPointOptions::samples, "how many machines are drawn from a version space; their mean answers",
       Constraint::positive},
      {"walk", &BayesPointOptions::walk,
       "a step: along a great circle, reflected where a row would change its side; or to a draw on its arc where none "
       "does"},
      {"chains", &BayesPointOptions::chains, "how many walks the samples come from", Constraint::positive},
      {"thin", &BayesPointOptions::thin, "steps from one sample to the next; 0: 1, of hitandrun 20",
       Constraint::nonnegative},
      {"burn_in", &BayesPointOptions::burn_in, "steps of a walk before its first sample; 0: 50, of hitandrun 1000",
       Constraint::nonnegative},
      {"committee", &BayesPointOptions::committee,
       "how many samples are kept for probabilities, the shares of their votes; 0: none", Constraint::nonnegative},
      {"tolerance", &BayesPointOptions::tolerance, "how far split R-hat may be above 1", Constraint::positive},
      {"memory_mb", &BayesPointOptions::memory_mb,
       "limit for matrices of all pairs of rows; 0: half of the machine's memory", Constraint::nonnegative},
  };
  return table;
}

std::unique_ptr<BayesPointModel> fit_bayes_point(const Kernel& kernel, const BayesPointOptions& options,
                                                 const TrainingData& data, const Run& run) {
  options.validate();
  FitReport report;
  PhaseTimer timer(report);
  timer.start("kernel");
  const LabeledRows labeled = read_labels(model_name, data, LabelReading::classes, {});
  refuse_weights(labeled);
  const Samples samples = counted_samples(data.samples, labeled.rows);
  const Kernel resolved = resolve_widths(kernel, samples, labeled.rows, data, run);
  require_definite(model_name, resolved, samples, ParametricPart::none, NormRemedies::none, run);
  const auto classes = static_cast<Index>(labeled.levels.size());
  const ClassCode code = ClassCode::of(options.multiclass, classes);
  require_memory(code, labeled, options);
  const DenseGram<double> gram(PreparedKernel(resolved, samples, Precision::double_precision, run), run);
  const double ridge = options.ridge * mean_of_diagonal(gram);
  timer.start("sample");
  Matrix<double> means = Matrix<double>::filled(gram.size(), code.machines(), 0.0);
  Matrix<double> committee = Matrix<double>::filled(gram.size(), code.machines() * options.committee, 0.0);
  const std::vector<std::string> names = code.names(labeled.levels);
  for (Index m = 0; m < code.machines(); ++m) {
    const MachineRows chosen = rows_of_machine(code, m, labeled);
    const BayesPoint point =
        sample_bayes_point(*gram.subset(chosen.rows, run), chosen.signs, ridge, walk_options(options, m), run);
    for (std::size_t a = 0; a < chosen.rows.size(); ++a) {
      means(chosen.rows[a], m) = point.coefficients[a];
    }
    keep_committee(point, chosen.rows, options.committee, m, committee.view());
    add_to_report(point, options, code.machines() > 1 ? names[m] : "", report);
    const HitAndRunOptions walk = walk_options(options, m);
    report.iterations += walk.chains * (walk.burn_in + walk.draws * walk.thin);
  }
  timer.start("model");
  Expansion expansion(resolved, samples, std::move(means), ParametricPart::constant,
                      Matrix<double>::filled(1, code.machines(), 0.0), Precision::double_precision, run);
  timer.stop();
  return std::make_unique<BayesPointModel>(
      ModelHead{.name = model_name,
                .requested_kernel = kernel.spec(),
                .settings = settings_of(bayes_point_option_table(), options),
                .output_names = {data.targets.columns().front().name},
                .classes = labeled.levels,
                .report = std::move(report)},
      BayesPointModel::Parts{.code = code, .expansion = std::move(expansion), .committee = std::move(committee)});
}

BayesPointModel::BayesPointModel(ModelHead head, Parts parts) : FittedModel(std::move(head)), parts_(std::move(parts)) {
  const Index machines = parts_.code.machines();
  if (machines < 1 || parts_.expansion.outputs() != machines || parts_.committee.columns() % machines != 0 ||
      (parts_.committee.columns() > 0 && parts_.committee.rows() != parts_.expansion.centers().size())) {
    throw InvalidArgument("a Bayes point of " + std::to_string(parts_.expansion.outputs()) + " functions and " +
                          std::to_string(parts_.committee.columns()) + " members for " + std::to_string(machines) +
                          " machines");
  }
}

void BayesPointModel::Parts::fields(Fields& visit) {
  BayesPointOptions options;
  visit.options(options, bayes_point_option_table());
  if (visit.loading()) {
    code = ClassCode::of(options.multiclass, visit.classes());
  }
  visit.expansion(expansion, {.outputs = code.machines()});
  if (visit.loading() ? options.committee > 0 : committee.columns() > 0) {
    visit.matrix("committee", committee, {expansion.centers().size(), any_count});
    visit.require(!visit.loading() || committee.columns() == code.machines() * options.committee,
                  "another number of members than the option committee says");
  }
}

// Votes of the members, whose values are machine by machine side by side.
Matrix<double> BayesPointModel::shares(ConstMatrixView<double> values) const {
  const Index machines = parts_.code.machines();
  const auto count = static_cast<Index>(classes().size());
  const double all = static_cast<double>(members() + count);
  Matrix<double> result = Matrix<double>::filled(values.rows(), count, 1 / all);
  std::vector<double> of_member(machines);
  for (Index i = 0; i < values.rows(); ++i) {
    for (Index k = 0; k < members(); ++k) {
      for (Index m = 0; m < machines; ++m) {
        of_member[m] = values(i, m * members() + k);
      }
      result(i, parts_.code.decode(of_member)) += 1 / all;
    }
  }
  return result;
}

namespace {

Matrix<double> side_by_side(ConstMatrixView<double> left, ConstMatrixView<double> right) {
  Matrix<double> result(left.rows(), left.columns() + right.columns());
  for (Index i = 0; i < left.rows(); ++i) {
    double* const out = std::ranges::copy(left.row(i), result.view().row_data(i)).out;
    std::ranges::copy(right.row(i), out);
  }
  return result;
}

}  // namespace

Answers BayesPointModel::evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const {
  Answers answers;
  if (wanted.probabilities) {
    // Means and members from one block of kernel values.
    const Index machines = parts_.code.machines();
    const Expansion both(kernel(), parts_.expansion.centers(),
                         side_by_side(parts_.expansion.coefficients(), parts_.committee.view()), ParametricPart::none,
                         {}, Precision::double_precision, run);
    const Matrix<double> values = both.values(samples, run);
    answers.decisions = Matrix<double>::copy_of(values.view().block(0, 0, values.rows(), machines));
    answers.probabilities = shares(values.view().block(0, machines, values.rows(), values.columns() - machines));
  } else {
    answers.decisions = parts_.expansion.values(samples, run);
  }
  if (wanted.predictions) {
    answers.predictions = parts_.code.decode_rows(answers.decisions.view());
  }
  return answers;
}

std::unique_ptr<FittedModel> BayesPointModel::with_expansion(Expansion expansion, const Run& /*run*/) const {
  require_exchangeable(name(), parts_.expansion, expansion);
  ModelHead changed = head();
  if (members() > 0) {
    set_option(changed.settings, "committee", "0");
    changed.report.notes.push_back("the committee, and probabilities with it, is left behind: it has the old centres");
  }
  return std::make_unique<BayesPointModel>(std::move(changed),
                                           Parts{.code = parts_.code, .expansion = std::move(expansion)});
}

const ModelEntry& bayes_point_entry() {
  static const ModelEntry entry = make_entry<BayesPointModel>(
      {.name = model_name,
       .aliases = {"bpm", "bayes-point"},
       .summary = "Bayes point classifier: the mean of all machines that tell the classes apart, by sampling them",
       .task = Task::classification,
       .default_kernel = "rbf(gamma=scale)",
       .counterpart = "gp"},
      bayes_point_option_table(), fit_bayes_point);
  return entry;
}

}  // namespace mercer
