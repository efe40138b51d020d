#include "mercer/models/laplacian_process/lapc.h"

#include <algorithm>
#include <array>

#include "mercer/base/error.h"
#include "mercer/models/classes/class_code.h"
#include "mercer/models/classes/labeled_rows.h"
#include "mercer/models/laplacian_process/price_selection.h"
#include "mercer/models/laplacian_process/process_features.h"
#include "mercer/models/merged_rows.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/phase_timer.h"

namespace mercer {

void LapcOptions::validate() const {
  check_options<LapcOptions>("lapc", lapc_option_table(), *this);
  if (concavity > 0 && prior != ProcessPrior::concave) {
    throw InvalidArgument("lapc: concavity belongs to prior=concave, not to prior=" + std::string(word_of(prior)));
  }
  if (lambda == 0 && machine != MarginMachine::leave_one_out && !nu && select == LapcSelection::none) {
    throw InvalidArgument("lapc: lambda = 0 belongs to machine=loo; without a price machine=" +
                          std::string(word_of(machine)) + " takes all functions there are");
  }
  if (lambda == 0 && prior != ProcessPrior::laplacian) {
    throw InvalidArgument("lapc: lambda = 0 belongs to prior=laplacian: there is no price to be concave");
  }
  if (own_share > 0 && machine != MarginMachine::leave_one_out) {
    throw InvalidArgument("lapc: own_share belongs to machine=loo, not to machine=" + std::string(word_of(machine)));
  }
  if (nu && select != LapcSelection::none) {
    throw InvalidArgument("lapc: nu finds the lambda that select=cv chooses: set one of them");
  }
  if (nu && prior != ProcessPrior::laplacian) {
    throw InvalidArgument("lapc: nu belongs to prior=laplacian, not to prior=" + std::string(word_of(prior)));
  }
  if (is_joint(multiclass) && (machine != MarginMachine::l1 || select != LapcSelection::none)) {
    throw InvalidArgument("lapc: multiclass=" + std::string(word_of(multiclass)) +
                          " needs machine=l1 and select=none; the tune command chooses lambda too");
  }
}

std::span<const Option<LapcOptions>> lapc_option_table() {
  static const std::array<Option<LapcOptions>, 14> table{{
      {"lambda", &LapcOptions::lambda,
       "price of coefficients, where a row on the boundary costs 1: the larger, the fewer kernel functions; 0: none, "
       "of "
       "machine=loo",
       Constraint::nonnegative, SearchRange{"2^-10..2^5", RangeUnit::absolute, "select nu"}},
      {"select", &LapcOptions::select, "cv: lambda by cross-validation, in place of the one that is given"},
      {"nu", &LapcOptions::nu,
       "lambda is found, so that at most this fraction of rows are margin errors, and at least this fraction are on "
       "the "
       "margin or beyond; in place of lambda",
       Limits::above_to(0, 1)},
      {"machine", &LapcOptions::machine,
       "l1: coefficients of any sign; signed: of the sign of their row's label; loo: the same, and a row is judged by "
       "the functions of the other rows"},
      {"own_share", &LapcOptions::own_share,
       "of machine=loo: share of a row's own function that it is judged by; 1: machine=signed", Limits::from_to(0, 1)},
      {"multiclass",
       &LapcOptions::multiclass,
       "more than two classes: ovr one against the rest, ww all in one program (Weston-Watkins)",
       {Multiclass::one_vs_rest, Multiclass::weston_watkins}},
      {"class_weight", &LapcOptions::class_weight,
       "balanced (the rarer the class, the heavier), or label:weight,label:weight; multiplies the losses"},
      {"prior", &LapcOptions::prior,
       "laplacian: lambda |a|; concave: lambda (1 - exp(-p |a|))/p, which takes still fewer kernel functions (a local "
       "minimum)"},
      {"concavity", &LapcOptions::concavity,
       "p of prior=concave; 0: 5 over the largest coefficient under the laplacian prior", Constraint::nonnegative},
      {"intercept", &LapcOptions::intercept, "add a constant that is not penalised"},
      {"folds", &LapcOptions::folds, "of the cross-validation", Limits::from(2)},
      {"select_rows", &LapcOptions::select_rows, "rows, drawn at random, that cross-validation looks at; 0: all",
       Constraint::nonnegative},
      {"basis", &LapcOptions::basis,
       "number of kernel functions, of rows drawn at random; 0: of all rows, or as many as the memory allows",
       Constraint::nonnegative},
      {"memory_mb", &LapcOptions::memory_mb, "what matrices may take; 0: the machine's memory",
       Constraint::nonnegative},
  }};
  return table;
}

namespace {

// The functions of all machines, and what is said of them.
struct MachineFunctions {
  Matrix<double> coefficients;  // basis × functions
  Matrix<double> offsets;       // 1 × functions
};

class LapcFit {
 public:
  LapcFit(const LapcOptions& options, const ProcessFeatures& features, const LabeledRows& labeled, FitReport& report)
      : options_(options), features_(features), labeled_(labeled), report_(report) {}

  MachineFunctions one_against_the_rest(const Run& run) {
    const ClassCode code = ClassCode::one_vs_rest(static_cast<Index>(labeled_.levels.size()));
    MachineFunctions functions{.coefficients = Matrix<double>(features_.matrix.columns(), code.machines()),
                               .offsets = Matrix<double>(1, code.machines())};
    for (Index o = 0; o < code.machines(); ++o) {
      std::vector<double> labels;
      for (const std::int32_t c : labeled_.classes) {
        labels.push_back(code(o, c));
      }
      LaplacianMapProblem problem{.features = features_.matrix.view(),
                                  .targets = labels,
                                  .weights = labeled_.weights,
                                  .loss = ProcessLoss::hinge,
                                  .offset = options_.intercept ? ProcessOffset::fitted : ProcessOffset::none};
      const bool has_signs = options_.machine != MarginMachine::l1;
      Matrix<double> columns;
      if (has_signs) {
        columns = signed_columns(features_.matrix.view(), labels, features_.basis_rows,
                                 options_.machine == MarginMachine::leave_one_out ? options_.own_share : 1.0);
        problem.features = columns.view();
        problem.signs = CoefficientSigns::nonnegative;
        problem.labeled_by = features_.basis_rows;
      }
      const LaplacianMap map = solve(problem, run);
      for (Index j = 0; j < functions.coefficients.rows(); ++j) {
        functions.coefficients(j, o) =
            has_signs ? labels[features_.basis_rows[j]] * map.coefficients[j] : map.coefficients[j];
      }
      functions.offsets(0, o) = map.offset;
      run.progress("classes", static_cast<double>(o + 1), static_cast<double>(code.machines()));
    }
    return functions;
  }

  MachineFunctions all_in_one(const Run& run) {
    const auto k = static_cast<Index>(labeled_.levels.size());
    const Index m = features_.matrix.columns();
    const JointRows joint = joint_rows(features_.matrix.view(), labeled_.classes, k, labeled_.weights);
    LaplacianMapProblem problem{.features = joint.features.view(),
                                .targets = joint.labels,
                                .weights = joint.weights,
                                .loss = ProcessLoss::hinge,
                                .offset = ProcessOffset::none};
    if (options_.intercept) {
      problem.unpriced = joint.unpriced.view();
    }
    const LaplacianMap map = solve(problem, run);
    MachineFunctions functions{.coefficients = Matrix<double>(m, k), .offsets = Matrix<double>::filled(1, k, 0.0)};
    double mean = 0;
    for (const double constant : map.unpriced) {
      mean += constant / static_cast<double>(k);
    }
    for (Index c = 0; c < k; ++c) {
      for (Index j = 0; j < m; ++j) {
        functions.coefficients(j, c) = map.coefficients[c * m + j];
      }
      if (options_.intercept) {
        functions.offsets(0, c) = (c + 1 < k ? map.unpriced[c] : 0.0) - mean;
      }
    }
    return functions;
  }

  double gap() const { return gap_; }

 private:
  LaplacianMap solve(const LaplacianMapProblem& problem, const Run& run) {
    const LaplacianMap map = found_map(problem, run);
    gap_ = std::max(gap_, map.gap);
    report_.objective += map.objective;
    report_.iterations += map.iterations;
    if (map.status != SolveStatus::converged) {
      report_.status = map.status;
    }
    return map;
  }

  LaplacianMap found_map(const LaplacianMapProblem& problem, const Run& run) {
    if (options_.nu) {
      MarginMap found = margin_map(problem, *options_.nu, run);
      report_.measure(Fact::lambda, found.price);
      report_.measure(Fact::rho, found.rho);
      return std::move(found.map);
    }
    double price = options_.lambda;
    if (options_.select == LapcSelection::cross_validation) {
      const PriceChoice choice = choose_price(problem, {options_.folds, options_.select_rows}, run);
      price = choice.price;
      report_.measure(Fact::lambda, price);
      report_.measures.push_back({"cross-validated loss", choice.held_out});
    }
    if (price == 0) {
      return map_without_price(problem, run);
    }
    return options_.prior == ProcessPrior::concave ? concave_map(problem, price, options_.concavity, run)
                                                   : laplacian_map(problem, price, 0, run);
  }

  const LapcOptions& options_;
  const ProcessFeatures& features_;
  const LabeledRows& labeled_;
  FitReport& report_;
  double gap_ = 0;
};

// Two classes are one machine, however several would be told apart.
bool is_one_program(const LapcOptions& options, Index classes) {
  return classes > 2 && options.multiclass == Multiclass::weston_watkins;
}

// Matrices of the size of the features: of the program, and of its columns in use.
Index solver_matrices(const LapcOptions& options, Index classes) {
  if (is_one_program(options, classes)) {
    return 2 * classes * (classes - 1);
  }
  if (options.machine == MarginMachine::l1) {
    return 1;
  }
  return options.lambda == 0 && !options.nu ? 6 : 2;  // without a price the dual of the program, too
}

}  // namespace

std::unique_ptr<ExpansionClassifier> fit_lapc(const Kernel& kernel, const LapcOptions& options,
                                              const TrainingData& given, const Run& run) {
  options.validate();
  // A row that occurs twice is not left out where one of the two is judged by the others.
  const bool row_by_row =
      options.select == LapcSelection::cross_validation || options.machine == MarginMachine::leave_one_out;
  const TrainingData data =
      merged_unless_in_folds("lapc", kernel, given, row_by_row ? ChosenBy::folds : ChosenBy::itself);
  const LabeledRows labeled = read_labels("lapc", data, LabelReading::classes, options.class_weight);
  const auto classes = static_cast<Index>(labeled.levels.size());
  FitReport report;
  report.objective_name = options.nu ? "losses less nu rho" : "loss and prior";
  PhaseTimer timer(report);
  timer.start("kernel");
  const ProcessFeatures features = process_features("lapc", kernel, data, labeled.rows, options.basis,
                                                    options.memory_mb, solver_matrices(options, classes), report, run);
  timer.start("solve");
  LapcFit fit(options, features, labeled, report);
  MachineFunctions functions = is_one_program(options, classes) ? fit.all_in_one(run) : fit.one_against_the_rest(run);
  Expansion expansion =
      process_function(features, std::move(functions.coefficients), std::move(functions.offsets), run).expansion;
  report.measures.push_back({"duality gap", fit.gap()});
  report.measures.push_back({"kernel functions", static_cast<double>(expansion.centers().size())});
  timer.stop();
  ModelHead head{.name = "lapc",
                 .requested_kernel = kernel.spec(),
                 .settings = settings_of(lapc_option_table(), options),
                 .output_names = {data.targets.columns().front().name},
                 .classes = labeled.levels,
                 .report = std::move(report)};
  return std::make_unique<ExpansionClassifier>(std::move(head),
                                               ExpansionClassifier::Parts{.expansion = std::move(expansion)});
}

const ModelEntry& lapc_entry() {
  static const ModelEntry entry = make_entry<ExpansionClassifier>(
      {.name = "lapc",
       .aliases = {"lp-machine"},
       .summary = "linear programming machine: soft margin with few kernel functions of any kernel",
       .task = Task::classification,
       .default_kernel = "rbf(gamma=scale)",
       .counterpart = "lapr"},
      lapc_option_table(), fit_lapc);
  return entry;
}

}  // namespace mercer
