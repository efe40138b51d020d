#include "mercer/models/svm/kqr.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/models/compress_support.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/svm/svm_engine.h"
#include "mercer/models/svm/svr_targets.h"
#include "mercer/models/training_rows.h"
#include "mercer/theory/losses/residual_losses.h"

namespace mercer {

namespace {

constexpr std::uint64_t quantile_draw_stream = 0x6b7172;

// β of one level as a start for the next, higher one: stretched to the new box, what was at a bound exactly at the new one.
// The sum is too large then. The function will rise over the rows that are next above it: those go to the other bound, as
// many as balance the sum.
std::vector<double> start_for(const SvmDual& dual, std::span<const double> targets, std::span<const double> bounds,
                              double level, double next) {
  std::vector<double> start(targets.size());
  std::vector<Index> order(targets.size());
  std::iota(order.begin(), order.end(), Index{0});
  double excess = 0;
  for (std::size_t i = 0; i < start.size(); ++i) {
    const double beta = dual.coefficients[i];
    const double highest = next * bounds[i];
    const double lowest = (next - 1) * bounds[i];
    start[i] = beta >= level * bounds[i]         ? highest
               : beta <= (level - 1) * bounds[i] ? lowest
               : beta > 0                        ? beta * (next / level)
                                                 : beta * ((1 - next) / (1 - level));
    excess += start[i];
  }
  const auto residual = [&](Index row) { return targets[row] - dual.values[row]; };
  std::ranges::stable_sort(order, {}, residual);
  for (const Index row : order) {
    const double lowest = (next - 1) * bounds[row];
    const double taken = std::min(start[row] - lowest, excess);
    if (taken <= 0) {
      continue;
    }
    start[row] = taken < excess ? lowest : start[row] - taken;
    excess -= taken;
  }
  return start;
}

// The mean of ρ_τ over the rows, in the units of the machine.
double mean_quantile_loss(const SvmDual& dual, std::span<const double> targets, double level,
                          std::span<const double> weights) {
  const PinballLoss loss(level);
  double total = 0;
  double sum = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    sum += weights[i] * loss.value(dual.values[i] + dual.offset - targets[i]);
    total += weights[i];
  }
  return sum / total;
}

// The machines of all levels of one output, in its units.
struct OutputMachines {
  std::vector<std::vector<double>> coefficients;
  std::vector<double> offsets;
  double loss = 0;  // mean ρ_τ of the level of predictions
  Index bounded = 0;
  Precision precision = Precision::single_precision;
};

OutputMachines fit_output(const SvmEngine& engine, const KqrOptions& options, const SvrTargets& y,
                          std::span<const double> bounds, FitReport& report, const Run& run) {
  OutputMachines machines;
  const std::vector<double>& levels = options.quantiles.values();
  std::vector<double> start;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    SvmDual dual = engine.quantile_svr(y.values, levels[l], bounds, run, start);
    add_to_report(dual, report);
    report.objective += dual.objective;
    machines.bounded += dual.bounded;
    machines.precision = std::max(machines.precision, dual.kernel_precision);
    machines.offsets.push_back(y.restored(dual.offset));
    if (static_cast<Index>(l) == options.quantiles.middle()) {
      machines.loss = y.deviation * mean_quantile_loss(dual, y.values, levels[l], bounds);
    }
    if (l + 1 < levels.size()) {
      start = start_for(dual, y.values, bounds, levels[l], levels[l + 1]);
    }
    for (double& beta : dual.coefficients) {
      beta *= y.deviation;
    }
    machines.coefficients.push_back(std::move(dual.coefficients));
  }
  return machines;
}

}  // namespace

void KqrOptions::validate() const { check_options<KqrOptions>("kqr", kqr_option_table(), *this); }

std::span<const Option<KqrOptions>> kqr_option_table() {
  static const std::vector<Option<KqrOptions>> table = [] {
    std::vector<Option<KqrOptions>> lines = {
        {"quantiles", &KqrOptions::quantiles,
         "levels between 0 and 1, by commas: the function of 0.9 has nine tenths of the targets below it"},
        {"C", &KqrOptions::C,
         "price of errors: coefficients are at most C times the level, and at least -C times 1 - level",
         Constraint::positive, SearchRange{"2^-5..2^15"}},
        {"standardize", &KqrOptions::standardize,
         "bring targets to mean 0 and variance 1 before the fit; predictions are in their units"},
        {"crossing", &KqrOptions::crossing,
         "where functions of two levels cross: rearranged, their values are put in order; allowed, they stay as "
         "fitted"},
    };
    const std::vector<Option<KqrOptions>> solver = SvmSolverOptions::table<KqrOptions>();
    lines.insert(lines.end(), solver.begin(), solver.end());
    return lines;
  }();
  return table;
}

std::unique_ptr<KqrModel> fit_kqr(const Kernel& kernel, const KqrOptions& options, const TrainingData& data,
                                  const Run& run) {
  options.validate();
  require_targets(data);
  FitReport report;
  PhaseTimer timer(report);
  timer.start("kernel");
  const std::vector<Index> rows = weighted_rows(data, "kqr");
  const Samples counted = counted_samples(data.samples, rows);
  const Kernel resolved = resolve_widths(kernel, counted, rows, data, run);
  const SvmEngine engine = SvmEngine(resolved, counted, options, run).stored(run);
  std::vector<double> bounds;
  for (const double weight : weights_or_ones(data.weights, rows)) {
    bounds.push_back(options.C * weight);
  }

  timer.start("solve");
  std::vector<OutputMachines> outputs;
  std::vector<std::string> names;
  for (const TargetColumn& column : data.targets.columns()) {
    const SvrTargets y = svr_targets(column.finite_values(rows), bounds,
                                     options.standardize ? Standardization::each : Standardization::none);
    outputs.push_back(fit_output(engine, options, y, bounds, report, run));
    names.push_back(column.name);
  }
  report.objective_name = "dual objective";

  timer.start("model");
  std::vector<Index> numbers(rows.size());
  std::iota(numbers.begin(), numbers.end(), Index{0});
  std::vector<MachineCoefficients> machines;
  Matrix<double> offsets(1, static_cast<Index>(outputs.size()) * options.quantiles.count());
  std::vector<double> losses;
  Precision precision = Precision::single_precision;
  Index bounded = 0;
  for (const OutputMachines& output : outputs) {
    for (std::size_t l = 0; l < output.offsets.size(); ++l) {
      offsets(0, static_cast<Index>(machines.size())) = output.offsets[l];
      machines.push_back({numbers, output.coefficients[l]});
    }
    losses.push_back(output.loss);
    precision = std::max(precision, output.precision);
    bounded += output.bounded;
  }
  SupportSet support = support_set(resolved, machines, static_cast<Index>(rows.size()));
  report.measure(Fact::support_vectors, static_cast<double>(support.rows.size()));
  report.measures.push_back({"at the bound", static_cast<double>(bounded)});
  std::vector<Index> support_rows;
  for (const Index number : support.rows) {
    support_rows.push_back(rows[number]);
  }
  Expansion expansion(resolved, packed_for_svm(counted, support.rows), std::move(support.coefficients),
                      ParametricPart::constant, std::move(offsets), precision, run);
  timer.stop();
  return std::make_unique<KqrModel>(ModelHead{.name = "kqr",
                                              .requested_kernel = kernel.spec(),
                                              .settings = settings_of(kqr_option_table(), options),
                                              .output_names = std::move(names),
                                              .report = std::move(report)},
                                    KqrModel::Parts{.options = options,
                                                    .expansion = std::move(expansion),
                                                    .support_rows = std::move(support_rows),
                                                    .losses = std::move(losses)});
}

QuantilePredictions::Parts KqrModel::quantile_parts(const Samples& samples, const Run& run) const {
  return {.functions = parts_.expansion.values(samples, run),
          .levels = parts_.options.quantiles.values(),
          .middle = parts_.options.quantiles.middle(),
          .losses = parts_.losses,
          .crossing = parts_.options.crossing};
}

Answers KqrModel::evaluate(const Samples& samples, AnswersWanted /*wanted*/, const Run& run) const {
  return {.predictions = QuantilePredictions(quantile_parts(samples, run)).predictions(PredictionOf::observation)};
}

std::unique_ptr<const PredictiveDistribution> KqrModel::distribution(const Samples& samples, const Run& run) const {
  return std::make_unique<QuantilePredictions>(quantile_parts(samples, run));
}

Matrix<double> KqrModel::draws(const Samples& samples, Index count, PredictionOf of, const Run& run) const {
  const QuantilePredictions distribution(quantile_parts(samples, run));
  RandomStream random(run.seed(), quantile_draw_stream);
  return distribution.draws(count, of, random);
}

std::unique_ptr<FittedModel> KqrModel::with_expansion(Expansion expansion, const Run& /*run*/) const {
  require_same_form(*this, parts_.expansion, expansion);
  const Index count = expansion.centers().size();
  ModelHead changed = head();
  changed.report = compressed_report(report(), parts_.expansion.centers().size(), count);
  return std::make_unique<KqrModel>(std::move(changed), Parts{.options = parts_.options,
                                                              .expansion = std::move(expansion),
                                                              .support_rows = no_training_rows(count),
                                                              .losses = parts_.losses});
}

void KqrModel::Parts::fields(Fields& visit) {
  visit.options(options, kqr_option_table());
  visit.expansion(expansion, {.outputs = visit.outputs() * options.quantiles.count()});
  visit.indices("support_rows", support_rows, expansion.centers().size(), any_index);
  visit.column("losses", losses, visit.outputs(), Constraint::nonnegative);
}

const ModelEntry& kqr_entry() {
  static const ModelEntry entry = make_entry<KqrModel>(
      {.name = "kqr",
       .aliases = {"quantile-regression"},
       .summary = "quantile regression: functions that a given share of targets lies below, and the "
                  "distribution that they make",
       .task = Task::regression,
       .default_kernel = "rbf(gamma=scale)",
       .counterpart = "svc",
       .has_offset = true,
       .fits_quantiles = true},
      kqr_option_table(), fit_kqr);
  return entry;
}

}  // namespace mercer
