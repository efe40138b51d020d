// How svr and nusvr are fitted: which programme their options ask for, output by output, and the model of its solutions.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/expansion/parametric_functions.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/required_definiteness.h"
#include "mercer/models/svm/svm_engine.h"
#include "mercer/models/svm/svr.h"
#include "mercer/models/svm/svr_targets.h"
#include "mercer/models/svm/tube_machine.h"
#include "mercer/models/svm/wide_tube.h"
#include "mercer/models/training_rows.h"
#include "mercer/solvers/svm/overall_tube.h"

namespace mercer {

namespace {

// The rows that count, as a fit of all outputs sees them.
struct SvrRows {
  const char* model;
  const Kernel& kernel;  // its widths are numbers
  const Samples& samples;
  std::span<const double> weights;
  std::span<const double> bounds;  // C times the weight
  std::span<const double> tube;    // ε per row in units of the target; empty: one for all
  const Run& run;

  double total() const { return std::accumulate(bounds.begin(), bounds.end(), 0.0); }
};

// The solution for one output.
using SvrSolve = std::function<SvmDual(const SvrTargets& y)>;
using SvrFormulation = std::function<SvrSolve(const SvrRows& rows)>;

// The coefficients of one output in its own units: the offset is that of the constant.
void fill_parametric(const SvmDual& dual, const SvrTargets& y, MatrixView<double> coefficients, Index output) {
  for (Index p = 0; p < coefficients.rows(); ++p) {
    const double value = dual.parametric.empty() ? dual.offset : dual.parametric[static_cast<std::size_t>(p)];
    coefficients(p, output) = p == 0 ? y.restored(value) : y.deviation * value;
  }
}

// Of the rows that count. DataError unless they are finite and not negative.
std::vector<double> row_widths(const TrainingData& data, std::span<const Index> rows, const char* model) {
  std::vector<double> widths;
  if (data.noise.empty()) {
    return widths;
  }
  if (static_cast<Index>(data.noise.size()) != data.samples.size()) {
    throw DataError(std::string(model) + ": " + std::to_string(data.noise.size()) + " widths of the tube for " +
                    std::to_string(data.samples.size()) + " samples");
  }
  for (const Index row : rows) {
    const double width = data.noise[row];
    if (!(width >= 0 && std::isfinite(width))) {
      throw DataError(std::string(model) + ": the width of the tube at row " + std::to_string(row) + " is " +
                      shortest(width) + ": widths are finite and not negative");
    }
    widths.push_back(width);
  }
  return widths;
}

std::vector<double> divided(std::span<const double> values, double scale) {
  std::vector<double> result(values.begin(), values.end());
  for (double& value : result) {
    value /= scale;
  }
  return result;
}

// Everything that a function above the targets has, for one below.
SvmDual mirrored(SvmDual dual) {
  for (std::vector<double>* vector : {&dual.coefficients, &dual.values, &dual.variables}) {
    for (double& value : *vector) {
      value = -value;
    }
  }
  dual.offset = -dual.offset;
  return dual;
}

std::vector<double> infinite_bounds(std::size_t count) {
  return std::vector<double>(count, std::numeric_limits<double>::infinity());
}

SvrSolve usual_svr(const SvrOptions& options, const SvrRows& rows) {
  const auto engine =
      std::make_shared<const SvmEngine>(rows.model, rows.kernel, rows.samples, options, options, rows.run);
  return [engine, &options, &rows](const SvrTargets& y) {
    return rows.tube.empty()
               ? engine->epsilon_svr(y.values, scaled_tube(options.epsilon, y.deviation), rows.bounds, rows.run)
               : engine->epsilon_svr(y.values, divided(rows.tube, y.deviation), rows.bounds, rows.run);
  };
}

SvrSolve hard_svr(const SvrOptions& options, const SvrRows& rows) {
  const auto machine =
      std::make_shared<const TubeMachine>(rows.model, rows.kernel, rows.samples, "slack = none", options, rows.run);
  return [machine, &options, &rows](const SvrTargets& y) {
    const double epsilon = scaled_tube(options.epsilon, y.deviation);
    const std::vector<double> widths =
        rows.tube.empty() ? std::vector<double>(y.values.size(), epsilon) : divided(rows.tube, y.deviation);
    SvmDual dual = machine->hard_svr(y.values, widths, y.deviation, rows.run);
    dual.margin = rows.tube.empty()
                      ? epsilon
                      : std::inner_product(widths.begin(), widths.end(), rows.bounds.begin(), 0.0) / rows.total();
    return dual;
  };
}

// Machines whose errors are compared with each other are solved more closely than what is asked of the whole.
SvrSolve overall_svr(const SvrOptions& options, const SvrRows& rows) {
  SvmSolverOptions closer = options;
  closer.tolerance /= 10;
  const auto engine = std::make_shared<const SvmEngine>(rows.kernel, rows.samples, closer, rows.run);
  return [engine, &options, &rows](const SvrTargets& y) {
    const auto solve = [&](std::span<const double> bounds, std::span<const double> start) {
      return engine->epsilon_svr(y.values, 0.0, bounds, rows.run, start);
    };
    return solve_overall_tube(y.values, scaled_tube(options.epsilon, y.deviation), rows.bounds, options.tolerance,
                              solve);
  };
}

SvrSolve usual_nu_svr(const NuSvrOptions& options, const SvrRows& rows) {
  const auto engine = std::make_shared<const SvmEngine>(rows.kernel, rows.samples, options, rows.run);
  return [engine, &options, &rows](const SvrTargets& y) {
    return options.slack == TubeSlack::none
               ? engine->hard_nu_svr(y.values, options.nu * rows.total(), rows.weights, rows.run)
               : engine->nu_svr(y.values, options.nu, rows.bounds, rows.run);
  };
}

SvrSolve one_sided_svr(const NuSvrOptions& options, const SvrRows& rows) {
  const auto engine = std::make_shared<const SvmEngine>(rows.kernel, rows.samples, options, rows.run);
  return [engine, &options, &rows](const SvrTargets& y) {
    const double side = options.sides == TubeSides::above ? 1.0 : -1.0;
    const std::vector<double> targets = divided(y.values, side);
    const std::vector<double> bounds = options.slack == TubeSlack::none
                                           ? infinite_bounds(targets.size())
                                           : std::vector<double>(rows.bounds.begin(), rows.bounds.end());
    SvmDual dual = engine->one_sided_svr(targets, options.nu * rows.total(), bounds, rows.weights, rows.run);
    return side > 0 ? dual : mirrored(std::move(dual));
  };
}

SvrSolve huber_nu_svr(const NuSvrOptions& options, const SvrRows& rows) {
  const auto machine =
      std::make_shared<const TubeMachine>(rows.model, rows.kernel, rows.samples, "loss = huber", options, rows.run);
  return [machine, &options, &rows](const SvrTargets& y) {
    return machine->huber_nu_svr(y.values, options.nu * rows.total(), rows.bounds, rows.run);
  };
}

// InvalidArgument that names the function and the row where one is negative.
void require_nonnegative(const Matrix<double>& shapes, const NuSvrOptions& options, const SvrRows& rows) {
  for (Index i = 0; i < shapes.rows(); ++i) {
    for (Index q = 0; q < shapes.columns(); ++q) {
      if (!(shapes(i, q) >= 0 && std::isfinite(shapes(i, q)))) {
        throw InvalidArgument(std::string(rows.model) + ": tube = " + options.tube.text() + ": the function " +
                              options.tube.names(rows.samples)[q] + " is " + shortest(shapes(i, q)) + " at row " +
                              std::to_string(i) +
                              " of those with a weight, and a width is not negative. Take a column that says how large "
                              "errors are, without scaling (--scale none)");
      }
    }
  }
}

// ν C n of every function. InvalidArgument where there is another number of fractions.
std::vector<double> tube_prices(Index functions, const NuSvrOptions& options, const SvrRows& rows) {
  std::vector<double> prices = options.tube_nu.values;
  if (prices.empty()) {
    prices.assign(static_cast<std::size_t>(functions), options.nu);
  }
  if (static_cast<Index>(prices.size()) != functions) {
    throw InvalidArgument(std::string(rows.model) + ": tube_nu = " + options.tube_nu.text() + " has " +
                          std::to_string(prices.size()) + " fractions, and tube = " + options.tube.text() + " has " +
                          std::to_string(functions) + " functions: " + join(options.tube.names(rows.samples), ", "));
  }
  for (double& price : prices) {
    price *= rows.total();
  }
  return prices;
}

SvrSolve shaped_nu_svr(const NuSvrOptions& options, const SvrRows& rows) {
  require_columns(rows.model, rows.kernel, options.tube.part());
  const auto shapes = std::make_shared<const Matrix<double>>(options.tube.values(rows.samples));
  require_nonnegative(*shapes, options, rows);
  const auto machine = std::make_shared<const TubeMachine>(rows.model, rows.kernel, rows.samples,
                                                           "tube = " + options.tube.text(), options, rows.run);
  return
      [machine, shapes, prices = tube_prices(shapes->columns(), options, rows), &options, &rows](const SvrTargets& y) {
        const bool is_hard = options.slack == TubeSlack::none;
        const std::vector<double> bounds =
            is_hard ? infinite_bounds(y.values.size()) : std::vector<double>(rows.bounds.begin(), rows.bounds.end());
        return machine->shaped_nu_svr(y.values, shapes->view(), prices, bounds, rows.weights, rows.run);
      };
}

// What a fit of one output after the other adds up to.
struct SvrOutputs {
  std::vector<std::vector<double>> coefficients;
  std::vector<double> widths;
  std::vector<double> deviations;
  std::vector<std::vector<double>> tube;  // ε_q per output
  std::vector<double> scales;             // σ per output
  Matrix<double> parametric;
  Index bounded = 0;
  double share = 1;                                   // the largest
  Precision precision = Precision::single_precision;  // double where one output needs it
};

void add_tube_measures(const AnySvrOptions& chosen, const SvrOutputs& outputs, const Samples& samples,
                       FitReport& report) {
  const auto* const nu = std::get_if<NuSvrOptions>(&chosen);
  if (nu != nullptr && nu->sides != TubeSides::both) {
    return;
  }
  if (!outputs.scales.empty()) {
    report.measures.push_back({"sigma", outputs.scales.front()});
    return;
  }
  report.measures.push_back({"epsilon", outputs.widths.front()});
  if (nu != nullptr && !nu->tube.is_constant()) {
    const std::vector<std::string> names = nu->tube.names(samples);
    for (std::size_t q = 0; q < names.size(); ++q) {
      report.measures.push_back({"epsilon of " + names[q], outputs.tube.front()[q]});
    }
  }
  if (const auto* const svr = std::get_if<SvrOptions>(&chosen); svr != nullptr && svr->errors == TubeErrors::overall) {
    report.measures.push_back({"share of C", outputs.share});
  }
}

std::unique_ptr<SvrModel> fit_regression(const char* model, const Kernel& kernel, const AnySvrOptions& chosen,
                                         std::vector<OptionSetting> settings, const SvrFormulation& formulation,
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
  const std::vector<double> weights = weights_or_ones(data.weights, rows);
  const std::vector<double> tube = row_widths(data, rows, model);
  std::vector<double> bounds;
  for (const double weight : weights) {
    bounds.push_back(options.C * weight);
  }
  const SvrRows all{model, resolved, counted, weights, bounds, tube, run};
  const SvrSolve solve = formulation(all);
  std::vector<Index> numbers(rows.size());
  std::iota(numbers.begin(), numbers.end(), Index{0});

  timer.start("solve");
  SvrOutputs outputs;
  outputs.parametric = Matrix<double>(parametric_count(part, counted), data.targets.outputs());
  for (Index o = 0; o < data.targets.outputs(); ++o) {
    const TargetColumn& output = data.targets.columns()[o];
    const SvrTargets y = svr_targets(output.finite_values(rows), bounds,
                                     options.standardize ? Standardization::each : Standardization::none,
                                     part.is_none() ? TargetMean::kept : TargetMean::taken_out);
    SvmDual dual = solve(y);
    add_to_report(dual, report);
    report.objective += dual.objective;
    outputs.bounded += dual.bounded;
    outputs.share = o == 0 ? dual.share : std::max(outputs.share, dual.share);
    outputs.precision = std::max(outputs.precision, dual.kernel_precision);
    for (double& beta : dual.coefficients) {
      beta *= y.deviation;
    }
    for (double& epsilon : dual.tube) {
      epsilon *= y.deviation;
    }
    fill_parametric(dual, y, outputs.parametric.view(), o);
    note_dependence(dual, report);
    if (const auto* const nu = std::get_if<NuSvrOptions>(&chosen); nu != nullptr && nu->loss == NuSvrLoss::huber) {
      outputs.scales.push_back(dual.margin * y.deviation);
      dual.margin = 0;  // there is no tube
    }
    outputs.widths.push_back(dual.margin * y.deviation);
    outputs.deviations.push_back(y.deviation);
    outputs.coefficients.push_back(std::move(dual.coefficients));
    if (!dual.tube.empty()) {
      outputs.tube.push_back(std::move(dual.tube));
    }
  }
  report.objective_name = "dual objective";
  if (svr != nullptr && !part.is_none() && svr->errors == TubeErrors::each && tube.empty()) {
    note_wide_tubes(data.targets, rows, svr->epsilon, outputs.deviations, report);
  }

  timer.start("model");
  std::vector<MachineCoefficients> machines;
  for (const std::vector<double>& beta : outputs.coefficients) {
    machines.push_back({numbers, beta});
  }
  SupportSet support = support_set(resolved, machines, static_cast<Index>(rows.size()));
  report.measure(Fact::support_vectors, static_cast<double>(support.rows.size()));
  report.measures.push_back({"at the bound", static_cast<double>(outputs.bounded)});
  add_tube_measures(chosen, outputs, counted, report);
  std::vector<Index> support_rows;
  std::vector<double> given;
  for (const Index number : support.rows) {
    support_rows.push_back(rows[number]);
    if (!tube.empty()) {
      given.push_back(tube[number]);
    }
  }
  Expansion expansion(resolved, packed_for_svm(counted, support.rows), std::move(support.coefficients), part,
                      std::move(outputs.parametric), outputs.precision, run);
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
                                                    .widths = std::move(outputs.widths),
                                                    .tube = std::move(outputs.tube),
                                                    .scales = std::move(outputs.scales),
                                                    .given = std::move(given)});
}

}  // namespace

std::unique_ptr<SvrModel> fit_svr(const Kernel& kernel, const SvrOptions& options, const TrainingData& data,
                                  const Run& run) {
  options.validate();
  if (!data.noise.empty() && (options.errors == TubeErrors::overall || !options.is_usual())) {
    throw InvalidArgument(
        std::string("svr: a width of the tube per row goes with errors = each and parametric = "
                    "constant, not with ") +
        (options.errors == TubeErrors::overall ? "errors = overall" : "parametric = " + options.parametric.text()));
  }
  const SvrFormulation formulation = [&](const SvrRows& rows) {
    return options.errors == TubeErrors::overall ? overall_svr(options, rows)
           : options.slack == TubeSlack::none    ? hard_svr(options, rows)
                                                 : usual_svr(options, rows);
  };
  return fit_regression("svr", kernel, options, settings_of(svr_option_table(), options), formulation, data, run);
}

std::unique_ptr<SvrModel> fit_nusvr(const Kernel& kernel, const NuSvrOptions& options, const TrainingData& data,
                                    const Run& run) {
  options.validate();
  const SvrFormulation formulation = [&](const SvrRows& rows) {
    return options.loss == NuSvrLoss::huber   ? huber_nu_svr(options, rows)
           : !options.tube.is_constant()      ? shaped_nu_svr(options, rows)
           : options.sides != TubeSides::both ? one_sided_svr(options, rows)
                                              : usual_nu_svr(options, rows);
  };
  return fit_regression("nusvr", kernel, options, settings_of(nusvr_option_table(), options), formulation, data, run);
}

}  // namespace mercer
