#include "mercer/models/svm/svr.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include "mercer/expansion/parametric_functions.h"
#include "mercer/models/compress_support.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/svm/svm_engine.h"
#include "mercer/models/svm/svr_targets.h"
#include "mercer/models/svm/wide_tube.h"
#include "mercer/models/training_rows.h"

namespace mercer {

namespace {

template <class Options>
std::vector<Option<Options>> regression_table(std::vector<Option<Options>> own,
                                              const std::vector<Option<Options>>& functions = {}) {
  own.insert(own.end(), functions.begin(), functions.end());
  own.push_back({"standardize", &Options::standardize,
                 "bring targets to mean 0 and variance 1 before the fit; predictions are in their units"});
  const std::vector<Option<Options>> solver = SvmSolverOptions::table<Options>();
  own.insert(own.end(), solver.begin(), solver.end());
  return own;
}

// The coefficients of one output in its own units: the offset is that of the constant.
void fill_parametric(const SvmDual& dual, const SvrTargets& y, MatrixView<double> coefficients, Index output) {
  for (Index p = 0; p < coefficients.rows(); ++p) {
    const double value = dual.parametric.empty() ? dual.offset : dual.parametric[static_cast<std::size_t>(p)];
    coefficients(p, output) = p == 0 ? y.restored(value) : y.deviation * value;
  }
}

using Solve = std::function<SvmDual(const SvmEngine&, const SvrTargets&, std::span<const double> bounds)>;

std::unique_ptr<SvrModel> fit_regression(const char* model, const Kernel& kernel, const AnySvrOptions& chosen,
                                         std::vector<OptionSetting> settings, const Solve& solve,
                                         const TrainingData& data, const Run& run) {
  require_targets(data);
  const RegressionSvmOptions& options = shared_options(chosen);
  FitReport report;
  PhaseTimer timer(report);
  timer.start("kernel");
  const std::vector<Index> rows = weighted_rows(data, model);
  const Samples counted = counted_samples(data.samples, rows);
  const Kernel resolved = resolve_widths(kernel, counted, rows, data, run);
  const auto* const svr = std::get_if<SvrOptions>(&chosen);
  const ParametricPart part = parametric_part(chosen);
  const SvmEngine engine = svr != nullptr ? SvmEngine(model, resolved, counted, options, *svr, run)
                                          : SvmEngine(resolved, counted, options, run);
  std::vector<double> bounds;
  for (const double weight : weights_or_ones(data.weights, rows)) {
    bounds.push_back(options.C * weight);
  }
  std::vector<Index> numbers(rows.size());
  std::iota(numbers.begin(), numbers.end(), Index{0});

  timer.start("solve");
  std::vector<std::vector<double>> coefficients;
  std::vector<double> widths;
  std::vector<double> deviations;
  Matrix<double> parametric(parametric_count(part, counted), data.targets.outputs());
  Index bounded = 0;
  Precision precision = Precision::single_precision;  // double where one output needs it
  for (Index o = 0; o < data.targets.outputs(); ++o) {
    const TargetColumn& output = data.targets.columns()[o];
    const SvrTargets y = svr_targets(output.finite_values(rows), bounds,
                                     options.standardize ? Standardization::each : Standardization::none,
                                     part.is_none() ? TargetMean::kept : TargetMean::taken_out);
    SvmDual dual = solve(engine, y, bounds);
    add_to_report(dual, report);
    report.objective += dual.objective;
    bounded += dual.bounded;
    precision = std::max(precision, dual.kernel_precision);
    for (double& beta : dual.coefficients) {
      beta *= y.deviation;
    }
    fill_parametric(dual, y, parametric.view(), o);
    note_dependence(dual, report);
    widths.push_back(dual.margin * y.deviation);
    deviations.push_back(y.deviation);
    coefficients.push_back(std::move(dual.coefficients));
  }
  report.objective_name = "dual objective";
  if (svr != nullptr && !part.is_none()) {
    note_wide_tubes(data.targets, rows, svr->epsilon, deviations, report);
  }

  timer.start("model");
  std::vector<MachineCoefficients> machines;
  for (const std::vector<double>& beta : coefficients) {
    machines.push_back({numbers, beta});
  }
  SupportSet support = support_set(resolved, machines, static_cast<Index>(rows.size()));
  report.measure(Fact::support_vectors, static_cast<double>(support.rows.size()));
  report.measures.push_back({"at the bound", static_cast<double>(bounded)});
  report.measures.push_back({"epsilon", widths.front()});
  std::vector<Index> support_rows;
  for (const Index number : support.rows) {
    support_rows.push_back(rows[number]);
  }
  Expansion expansion(resolved, packed_for_svm(counted, support.rows), std::move(support.coefficients), part,
                      std::move(parametric), precision, run);
  std::vector<std::string> names;
  for (const TargetColumn& column : data.targets.columns()) {
    names.push_back(column.name);
  }
  timer.stop();
  return std::make_unique<SvrModel>(ModelHead{.name = model,
                                              .requested_kernel = kernel.spec(),
                                              .settings = std::move(settings),
                                              .output_names = std::move(names),
                                              .report = std::move(report)},
                                    SvrModel::Parts{.options = chosen,
                                                    .expansion = std::move(expansion),
                                                    .support_rows = std::move(support_rows),
                                                    .widths = std::move(widths)});
}

}  // namespace

void SvrOptions::validate() const {
  check_options<SvrOptions>("svr", svr_option_table(), *this);
  require_consistent("svr");
}

void NuSvrOptions::validate() const { check_options<NuSvrOptions>("nusvr", nusvr_option_table(), *this); }

std::span<const Option<SvrOptions>> svr_option_table() {
  static const std::vector<Option<SvrOptions>> table = regression_table<SvrOptions>(
      {
          {"C", &SvrOptions::C, "bound of every coefficient: the price of an error beyond the tube (LIBSVM's -c)",
           Constraint::positive, SearchRange{"2^-5..2^15"}},
          {"epsilon", &SvrOptions::epsilon,
           "half the width of the tube within which errors cost nothing, in target units; a tenth of the target's "
           "deviation if it is not given (0.1 with standardize=no)",
           Constraint::nonnegative, SearchRange{"2^-8..2^-1", RangeUnit::target_deviations}},
      },
      SemiparametricOptions::table<SvrOptions>());
  return table;
}

std::span<const Option<NuSvrOptions>> nusvr_option_table() {
  static const std::vector<Option<NuSvrOptions>> table = regression_table<NuSvrOptions>({
      {"C", &NuSvrOptions::C, "bound of every coefficient: the price of an error beyond the tube (LIBSVM's -c)",
       Constraint::positive, SearchRange{"2^-5..2^15"}},
      {"nu", &NuSvrOptions::nu, "at most this fraction of rows lie outside the tube; its width follows",
       Limits::above_to(0, 1)},
  });
  return table;
}

std::unique_ptr<SvrModel> fit_svr(const Kernel& kernel, const SvrOptions& options, const TrainingData& data,
                                  const Run& run) {
  options.validate();
  const Solve solve = [&](const SvmEngine& engine, const SvrTargets& y, std::span<const double> bounds) {
    return engine.epsilon_svr(y.values, scaled_tube(options.epsilon, y.deviation), bounds, run);
  };
  return fit_regression("svr", kernel, options, settings_of(svr_option_table(), options), solve, data, run);
}

std::unique_ptr<SvrModel> fit_nusvr(const Kernel& kernel, const NuSvrOptions& options, const TrainingData& data,
                                    const Run& run) {
  options.validate();
  const Solve solve = [&](const SvmEngine& engine, const SvrTargets& y, std::span<const double> bounds) {
    return engine.nu_svr(y.values, options.nu, bounds, run);
  };
  return fit_regression("nusvr", kernel, options, settings_of(nusvr_option_table(), options), solve, data, run);
}

Answers SvrModel::evaluate(const Samples& samples, AnswersWanted /*wanted*/, const Run& run) const {
  return {.predictions = parts_.expansion.values(samples, run)};
}

std::unique_ptr<FittedModel> SvrModel::with_expansion(Expansion expansion, const Run& /*run*/) const {
  require_same_form(*this, parts_.expansion, expansion);
  const Index count = expansion.centers().size();
  ModelHead changed = head();
  changed.report = compressed_report(report(), parts_.expansion.centers().size(), count);
  return std::make_unique<SvrModel>(std::move(changed), Parts{.options = parts_.options,
                                                              .expansion = std::move(expansion),
                                                              .support_rows = no_training_rows(count),
                                                              .widths = parts_.widths});
}

void SvrModel::Parts::fields(Fields& visit) {
  if (auto* const nu = std::get_if<NuSvrOptions>(&options)) {
    visit.options(*nu, nusvr_option_table());
  } else {
    visit.options(std::get<SvrOptions>(options), svr_option_table());
  }
  visit.expansion(expansion, {.outputs = visit.outputs(),
                              .part = parametric_part(options),
                              .precision_before = shared_options(options).precision()});
  visit.indices("support_rows", support_rows, expansion.centers().size(), any_index);
  Matrix<double> row(1, static_cast<Index>(widths.size()));
  std::ranges::copy(widths, row.data());
  visit.matrix("widths", row, {1, visit.outputs()});
  if (visit.loading()) {
    widths.assign(row.data(), row.data() + row.columns());
  }
}

const ModelEntry& svr_entry() {
  static const ModelEntry entry =
      make_entry<SvrModel>({.name = "svr",
                            .aliases = {},
                            .summary = "support vector regression: errors beyond epsilon cost C each",
                            .task = Task::regression,
                            .default_kernel = "rbf(gamma=scale)",
                            .counterpart = "svc",
                            .has_offset = true,
                            .takes_prior = true,
                            .folds_share = FoldSharing::support_vectors},
                           svr_option_table(), fit_svr);
  return entry;
}

const ModelEntry& nusvr_entry() {
  static const ModelEntry entry =
      make_entry<SvrModel>({.name = "nusvr",
                            .aliases = {},
                            .summary = "support vector regression that takes a fraction of errors, nu",
                            .task = Task::regression,
                            .default_kernel = "rbf(gamma=scale)",
                            .counterpart = "nusvc",
                            .has_offset = true,
                            .takes_prior = true},
                           nusvr_option_table(), fit_nusvr, [] { return SvrModel::Parts{.options = NuSvrOptions()}; });
  return entry;
}

}  // namespace mercer
