// The linear programming machines of lapc: ν, coefficients with the signs of labels, rows judged by the others, all
// classes in one program. Objectives are recomputed from the functions that the models hold, and searched for better ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/gram/cross_gram.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/laplacian_process/lapc.h"
#include "mercer/models/laplacian_process/price_selection.h"
#include "models/random_problem.h"
#include "models/report_measure.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::measure;
using MachineNumbers = std::vector<double>;

// Classes around centres on a circle; the first row of each class is at its centre.
struct Clusters {
  Clusters(Index n, Index classes, double spread, std::uint64_t seed) : x(n, 2), count(classes) {
    RandomStream random(seed, 17);
    for (Index i = 0; i < n; ++i) {
      const Index c = i % classes;
      const double angle = 2 * 3.14159265358979 * static_cast<double>(c) / static_cast<double>(classes);
      x(i, 0) = std::cos(angle) + (i < classes ? 0 : spread * random.normal());
      x(i, 1) = std::sin(angle) + (i < classes ? 0 : spread * random.normal());
      number.push_back(c);
      labels.push_back(std::string(1, static_cast<char>('a' + c)));
      weights.push_back(0.5 + random.uniform());
    }
  }
  Samples samples() const { return make_dense(Matrix<double>::copy_of(x.view())); }
  TrainingData data() const { return {samples(), Targets::classes(labels), weights}; }
  double sign(Index i) const { return number[i] == 1 ? 1 : -1; }
  double total() const { return std::accumulate(weights.begin(), weights.end(), 0.0); }
  Matrix<double> kernel(const Kernel& of) const {
    const auto prepared =
        std::make_shared<const PreparedKernel>(of, samples(), Precision::double_precision, mercer::Run());
    Matrix<double> k(x.rows(), x.rows());
    CrossGram<double>(prepared, samples(), mercer::Run()).evaluate(k.view(), mercer::Run());
    return k;
  }

  Matrix<double> x;
  Index count;
  std::vector<Index> number;
  std::vector<std::string> labels;
  MachineNumbers weights;
};

// Coefficients per training row and function, and the offsets.
struct HeldFunctions {
  HeldFunctions(const ExpansionClassifier& model, const Clusters& rows)
      : coefficients(Matrix<double>::filled(rows.x.rows(), model.parts().expansion.outputs(), 0.0)) {
    const Expansion& f = model.parts().expansion;
    for (Index c = 0; c < f.centers().size(); ++c) {
      for (Index o = 0; o < f.outputs(); ++o) {
        coefficients(f.centers().row_id(c), o) = f.coefficients()(c, o);
      }
    }
    for (Index o = 0; o < f.outputs(); ++o) {
      offsets.push_back(f.parametric_coefficients()(0, o));
    }
  }
  HeldFunctions(const HeldFunctions& other)
      : coefficients(Matrix<double>::copy_of(other.coefficients.view())), offsets(other.offsets) {}
  double size() const {
    double sum = 0;
    for (Index i = 0; i < coefficients.rows(); ++i) {
      for (Index o = 0; o < coefficients.columns(); ++o) {
        sum += std::abs(coefficients(i, o));
      }
    }
    return sum;
  }

  Matrix<double> coefficients;
  MachineNumbers offsets;
};

const char* const bump_spec = "rbf(gamma=0.7)";

// y_i f(x_i), of which row i's own function says `own`.
MachineNumbers judged(const Clusters& rows, const Matrix<double>& k, const HeldFunctions& f, double own) {
  MachineNumbers values;
  for (Index i = 0; i < k.rows(); ++i) {
    double value = f.offsets[0];
    for (Index j = 0; j < k.columns(); ++j) {
      value += (i == j ? own : 1.0) * f.coefficients(j, 0) * k(i, j);
    }
    values.push_back(rows.sign(i) * value);
  }
  return values;
}

double hinge_sum(const Clusters& rows, const MachineNumbers& values) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += rows.weights[i] * std::max(0.0, 1 - values[i]);
  }
  return sum;
}

double joint_sum(const Clusters& rows, const Matrix<double>& k, const HeldFunctions& f) {
  double sum = 0;
  for (Index i = 0; i < k.rows(); ++i) {
    MachineNumbers values = f.offsets;
    for (Index c = 0; c < rows.count; ++c) {
      for (Index j = 0; j < k.columns(); ++j) {
        values[c] += k(i, j) * f.coefficients(j, c);
      }
    }
    for (Index c = 0; c < rows.count; ++c) {
      if (c != rows.number[i]) {
        sum += rows.weights[i] * std::max(0.0, 2 - values[rows.number[i]] + values[c]);
      }
    }
  }
  return sum;
}

// The objective is convex: no better point near by, and none among random ones, of those that `project` makes feasible.
void expect_no_better(const HeldFunctions& best, const std::function<double(const HeldFunctions&)>& objective,
                      const std::function<void(HeldFunctions&)>& project, bool moves_offsets) {
  const double least = objective(best);
  RandomStream random(99);
  for (int trial = 0; trial < 300; ++trial) {
    HeldFunctions other = best;
    const double step = std::pow(10.0, -5 + trial % 6);
    for (Index i = 0; i < other.coefficients.rows(); ++i) {
      for (Index o = 0; o < other.coefficients.columns(); ++o) {
        other.coefficients(i, o) += trial % 2 == 0 || random.uniform() < 0.05 ? step * random.normal() : 0.0;
      }
    }
    for (double& offset : other.offsets) {
      offset += moves_offsets ? step * random.normal() : 0.0;
    }
    project(other);
    EXPECT_GE(objective(other), least * (1 - 1e-9));
  }
}

TEST(LapcNu, FindsThePriceAndHasTheProperty) {
  const Clusters rows(60, 2, 0.9, 1);
  const Kernel kernel = parse_kernel(bump_spec);
  const Matrix<double> k = rows.kernel(kernel);
  for (const bool intercept : {false, true}) {
    for (const MarginMachine machine : {MarginMachine::l1, MarginMachine::signed_labels}) {
      for (const double nu : {0.45, 0.6, 0.8}) {
        const auto model =
            fit_lapc(kernel, {.nu = nu, .machine = machine, .intercept = intercept}, rows.data(), mercer::Run());
        EXPECT_EQ(model->report().status, SolveStatus::converged);
        const HeldFunctions f(*model, rows);
        const MachineNumbers values = judged(rows, k, f, 1);
        double below = 0;
        double not_above = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
          below += values[i] < 1 - 1e-7 ? rows.weights[i] : 0;
          not_above += values[i] <= 1 + 1e-7 ? rows.weights[i] : 0;
        }
        EXPECT_LE(below, nu * rows.total() * (1 + 1e-9));
        EXPECT_GE(not_above, nu * rows.total() * (1 - 1e-9));
        const double rho = measure(*model, "rho");
        EXPECT_NEAR(rho * f.size(), 1, 1e-9);
        EXPECT_NEAR(model->report().objective, rho * (hinge_sum(rows, values) / rows.total() - nu), 1e-9);
        // It is the machine of that price.
        const auto priced =
            fit_lapc(kernel, {.lambda = measure(*model, "lambda"), .machine = machine, .intercept = intercept},
                     rows.data(), mercer::Run());
        EXPECT_NEAR(priced->report().objective, nu * rows.total(), 1e-7 * rows.total());
      }
    }
  }
  EXPECT_ERROR(fit_lapc(kernel, {.nu = 1.0}, {rows.samples(), Targets::classes(std::vector<std::string>([] {
                                                std::vector<std::string> labels(60, "a");
                                                std::fill_n(labels.begin(), 20, "b");
                                                return labels;
                                              }()))},
                        mercer::Run()),
               InvalidArgument, "nu = 1 is not feasible for these classes: it must be above 0 and at most 0.66666");
}

TEST(LapcSigned, CoefficientsBearTheSignsOfLabels) {
  const Clusters rows(50, 2, 0.8, 2);
  const Kernel kernel = parse_kernel(bump_spec);
  const Matrix<double> k = rows.kernel(kernel);
  for (const bool intercept : {false, true}) {
    for (const double lambda : {0.05, 1.0}) {
      const auto model =
          fit_lapc(kernel, {.lambda = lambda, .machine = MarginMachine::signed_labels, .intercept = intercept},
                   rows.data(), mercer::Run());
      EXPECT_EQ(model->report().status, SolveStatus::converged);
      const HeldFunctions f(*model, rows);
      for (Index i = 0; i < 50; ++i) {
        EXPECT_GE(rows.sign(i) * f.coefficients(i, 0), 0);
      }
      const auto objective = [&](const HeldFunctions& g) {
        return hinge_sum(rows, judged(rows, k, g, 1)) + lambda * g.size();
      };
      EXPECT_NEAR(objective(f), model->report().objective, 1e-9 * objective(f));
      const auto free = fit_lapc(kernel, {.lambda = lambda, .intercept = intercept}, rows.data(), mercer::Run());
      EXPECT_GE(model->report().objective, free->report().objective * (1 - 1e-9));
      expect_no_better(
          f, objective,
          [&](HeldFunctions& g) {
            for (Index i = 0; i < 50; ++i) {
              g.coefficients(i, 0) = rows.sign(i) * std::max(0.0, rows.sign(i) * g.coefficients(i, 0));
            }
          },
          intercept);
      const auto own = fit_lapc(
          kernel, {.lambda = lambda, .machine = MarginMachine::leave_one_out, .own_share = 1, .intercept = intercept},
          rows.data(), mercer::Run());
      EXPECT_NEAR(own->report().objective, model->report().objective, 1e-9 * objective(f));
    }
  }
}

TEST(LapcLeaveOneOut, RowsAreJudgedByTheOthers) {
  const Clusters rows(50, 2, 0.8, 3);
  const Kernel kernel = parse_kernel(bump_spec);
  const Matrix<double> k = rows.kernel(kernel);
  double last = 0;
  for (const double own : {1.0, 0.4, 0.0}) {
    for (const double lambda : {1.0, 0.0}) {
      const auto model = fit_lapc(
          kernel, {.lambda = lambda, .machine = MarginMachine::leave_one_out, .own_share = own, .intercept = false},
          rows.data(), mercer::Run());
      EXPECT_TRUE(own == 1 || model->report().status == SolveStatus::converged) << own << ' ' << lambda;
      const HeldFunctions f(*model, rows);
      const MachineNumbers scores = judged(rows, k, f, own);
      const double slack = hinge_sum(rows, scores);
      double wrong = 0;
      for (std::size_t i = 0; i < scores.size(); ++i) {
        wrong += scores[i] <= 0 ? rows.weights[i] : 0;
        EXPECT_GE(rows.sign(static_cast<Index>(i)) * f.coefficients(static_cast<Index>(i), 0), 0);
      }
      EXPECT_GE(slack, wrong);
      EXPECT_LE(slack, rows.total());  // α = 0
      const auto objective = [&](const HeldFunctions& g) {
        return hinge_sum(rows, judged(rows, k, g, own)) + lambda * g.size();
      };
      // Without a price a small one stands in, that makes the losses no larger than this.
      const double room = lambda == 0 ? 1e-6 * rows.total() : 0;
      expect_no_better(
          f, [&](const HeldFunctions& g) { return objective(g) + (&g == &f ? 0 : room); },
          [&](HeldFunctions& g) {
            for (Index i = 0; i < 50; ++i) {
              g.coefficients(i, 0) = rows.sign(i) * std::max(0.0, rows.sign(i) * g.coefficients(i, 0));
            }
          },
          false);
      if (lambda == 1.0) {
        EXPECT_NEAR(model->report().objective, objective(f), 1e-9 * objective(f));
        EXPECT_GE(objective(f), last);  // the less a row may say of itself, the dearer
        last = objective(f);
      }
    }
  }
  // A row that no other is near to says nothing.
  Clusters lonely(20, 2, 0.3, 4);
  lonely.x(5, 0) = 1e6;
  const auto model =
      fit_lapc(kernel, {.machine = MarginMachine::leave_one_out, .intercept = false}, lonely.data(), mercer::Run());
  EXPECT_EQ(HeldFunctions(*model, lonely).coefficients(5, 0), 0);
}

// Leaving a row out with its copy still there is not the same as a row of weight 2: copies stay rows.
TEST(LapcLeaveOneOut, CopiesJudgeEachOther) {
  const Clusters rows(20, 2, 0.8, 5);
  std::vector<Index> twice(40);
  for (Index i = 0; i < 40; ++i) {
    twice[i] = i % 20;
  }
  const Kernel narrow = parse_kernel("rbf(gamma=1e6)");
  const LapcOptions options{.lambda = 0.1, .machine = MarginMachine::leave_one_out, .intercept = false};
  const Targets classes = Targets::classes(rows.labels);
  const auto alone = fit_lapc(narrow, options, {rows.samples(), classes}, mercer::Run());
  EXPECT_NEAR(alone->report().objective, 20, 1e-6);
  const auto pairs = fit_lapc(narrow, options, {rows.samples().select(twice), classes.select(twice)}, mercer::Run());
  EXPECT_NEAR(pairs->report().objective, 4, 1e-6);  // every copy needs a coefficient of 1 of the other
}

std::unique_ptr<ExpansionClassifier> fit_column(const char* kernel, std::vector<double> x, std::vector<double> y,
                                                const LapcOptions& options) {
  Matrix<double> rows(static_cast<Index>(x.size()), 1);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < x.size(); ++i) {
    rows(static_cast<Index>(i), 0) = x[i];
    labels.push_back(y[i] > 0 ? "b" : "a");
  }
  return fit_lapc(parse_kernel(kernel), options, {make_dense(std::move(rows)), Targets::classes(labels)},
                  mercer::Run());
}

// The losses do not change between the prices of some tens, and fall with smaller ones. 2.01057: the linear program, and the price 1e-6.
TEST(LapcLeaveOneOut, NoPriceEndsWithAProof) {
  const LapcOptions options{.lambda = 0, .machine = MarginMachine::leave_one_out, .intercept = false};
  const auto model = fit_column("rbf(gamma=1)", {0, 3.6, 0.7}, {-1, 1, 1}, options);
  EXPECT_NEAR(model->report().objective, 2.0105672, 1e-6);
  EXPECT_EQ(model->report().status, SolveStatus::converged);
  EXPECT_LE(measure(*model, "duality gap"), 1e-7);
}

// All functions count in full: a positive definite kernel separates any rows.
TEST(LapcLeaveOneOut, NoPriceSeparatesWhatCanBeSeparated) {
  const LapcOptions options{.lambda = 0, .machine = MarginMachine::leave_one_out, .own_share = 1, .intercept = false};
  const auto model = fit_column("rbf(gamma=5)", {0, 0.5, 1, 1.5, 2, 2.5}, {1, -1, 1, -1, -1, 1}, options);
  EXPECT_NEAR(model->report().objective, 0, 1e-9);
  EXPECT_EQ(model->report().status, SolveStatus::converged);
}

// The first price that is tried for nu = 0.5 is one where the losses alone are what nu asks for.
TEST(LapcLeaveOneOut, NuOfTiesHasAMargin) {
  for (const double nu : {0.49, 0.5, 0.51}) {
    const auto model = fit_column("linear()", {0, 0, 1, -1, 0, -1, -1, -2}, {1, -1, 1, -1, -1, -1, -1, -1},
                                  {.nu = nu, .machine = MarginMachine::leave_one_out, .intercept = false});
    EXPECT_NEAR(measure(*model, "rho"), 16.0 / 13, 1e-7) << nu;
    EXPECT_EQ(model->report().status, SolveStatus::converged) << nu;
  }
}

TEST(LapcLeaveOneOut, NuAndFolds) {
  const Clusters rows(60, 2, 0.6, 6);
  const Kernel kernel = parse_kernel(bump_spec);
  const Matrix<double> k = rows.kernel(kernel);
  const double nu = 0.6;
  const auto model = fit_lapc(kernel, {.nu = nu, .machine = MarginMachine::leave_one_out, .intercept = false},
                              rows.data(), mercer::Run());
  const MachineNumbers scores = judged(rows, k, HeldFunctions(*model, rows), 0);
  double below = 0;
  double not_above = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    below += scores[i] < 1 - 1e-7 ? rows.weights[i] : 0;
    not_above += scores[i] <= 1 + 1e-7 ? rows.weights[i] : 0;
  }
  EXPECT_LE(below, nu * rows.total() * (1 + 1e-9));
  EXPECT_GE(not_above, nu * rows.total() * (1 - 1e-9));
  for (const MarginMachine machine : {MarginMachine::signed_labels, MarginMachine::leave_one_out}) {
    for (const Index basis : {0, 20}) {
      for (const Index looked_at : {0, 40}) {
        const auto chosen = fit_lapc(kernel,
                                     {.select = LapcSelection::cross_validation,
                                      .machine = machine,
                                      .folds = 3,
                                      .select_rows = looked_at,
                                      .basis = basis},
                                     rows.data(), mercer::Run());
        EXPECT_GT(measure(*chosen, "lambda"), 0);
        EXPECT_LT(measure(*chosen, "cross-validated loss"), 1);
      }
    }
  }
}

// The column of an even row says its own label and that of the next row, no other column says anything: where the even row is
// held out, its column must not answer for it.
TEST(PriceSelection, FoldsLeaveOutTheColumnsOfTheirRows) {
  const Index n = 80;
  Matrix<double> features = Matrix<double>::filled(n, n, 0.0);
  MachineNumbers labels;
  std::vector<Index> rows(n);
  std::iota(rows.begin(), rows.end(), Index{0});
  RandomStream random(8);
  for (Index i = 0; i < n; ++i) {
    labels.push_back(random.uniform() < 0.5 ? -1 : 1);
    features(i, i - i % 2) = labels[i];
  }
  LaplacianMapProblem problem{.features = features.view(),
                              .targets = labels,
                              .loss = ProcessLoss::hinge,
                              .offset = ProcessOffset::none,
                              .signs = CoefficientSigns::nonnegative};
  const PriceSearch search{.folds = 10, .rows = 0};
  EXPECT_LT(choose_price(problem, search, mercer::Run()).held_out, 0.2);
  problem.labeled_by = rows;
  const double held_out = choose_price(problem, search, mercer::Run()).held_out;
  EXPECT_GT(held_out, 0.5);
  EXPECT_LT(held_out, 0.6);
}

TEST(LapcJoint, IsOneProgramOfAllClasses) {
  const Kernel kernel = parse_kernel(bump_spec);
  for (const Index classes : {3, 4}) {
    const Clusters rows(48, classes, 0.7, 9);
    const Matrix<double> k = rows.kernel(kernel);
    for (const bool intercept : {false, true}) {
      for (const double lambda : {0.1, 1.0}) {
        const auto model =
            fit_lapc(kernel, {.lambda = lambda, .multiclass = Multiclass::weston_watkins, .intercept = intercept},
                     rows.data(), mercer::Run());
        EXPECT_EQ(model->report().status, SolveStatus::converged);
        const HeldFunctions f(*model, rows);
        const auto objective = [&](const HeldFunctions& g) { return joint_sum(rows, k, g) + lambda * g.size(); };
        EXPECT_NEAR(objective(f), model->report().objective, 1e-9 * objective(f));
        EXPECT_LE(measure(*model, "duality gap"), 1e-8 * objective(f));
        EXPECT_NEAR(std::accumulate(f.offsets.begin(), f.offsets.end(), 0.0), 0, 1e-9);
        expect_no_better(f, objective, [](HeldFunctions&) {}, intercept);
      }
    }
  }
  // As separable as one wants: no slack where coefficients cost next to nothing.
  const Clusters apart(45, 3, 0.05, 10);
  const auto model =
      fit_lapc(kernel, {.lambda = 1e-6, .multiclass = Multiclass::weston_watkins}, apart.data(), mercer::Run());
  EXPECT_NEAR(joint_sum(apart, apart.kernel(kernel), HeldFunctions(*model, apart)), 0, 1e-9);
}

TEST(LapcJoint, TwoClassesAreOneMachineAndNuCountsComparisons) {
  const Kernel kernel = parse_kernel(bump_spec);
  const Clusters two(40, 2, 0.7, 11);
  const auto joint = fit_lapc(kernel, {.multiclass = Multiclass::weston_watkins}, two.data(), mercer::Run());
  const auto rest = fit_lapc(kernel, {}, two.data(), mercer::Run());
  EXPECT_EQ(joint->report().objective, rest->report().objective);
  // The program of two classes is twice the machine's.
  const std::vector<std::int32_t> classes(two.number.begin(), two.number.end());
  const Matrix<double> k = two.kernel(kernel);
  const JointRows rows = joint_rows(k.view(), classes, 2, two.weights);
  const LaplacianMapProblem problem{.features = rows.features.view(),
                                    .targets = rows.labels,
                                    .weights = rows.weights,
                                    .loss = ProcessLoss::hinge,
                                    .offset = ProcessOffset::none,
                                    .unpriced = rows.unpriced.view()};
  EXPECT_NEAR(laplacian_map(problem, 1, 0, mercer::Run()).objective, 2 * rest->report().objective, 1e-8);

  const Clusters three(45, 3, 0.7, 12);
  const Matrix<double> gram = three.kernel(kernel);
  const double nu = 0.4;
  const auto model =
      fit_lapc(kernel, {.nu = nu, .multiclass = Multiclass::weston_watkins}, three.data(), mercer::Run());
  const HeldFunctions f(*model, three);
  double below = 0;
  double not_above = 0;
  for (Index i = 0; i < 45; ++i) {
    MachineNumbers values = f.offsets;
    for (Index c = 0; c < 3; ++c) {
      for (Index j = 0; j < 45; ++j) {
        values[c] += gram(i, j) * f.coefficients(j, c);
      }
    }
    for (Index c = 0; c < 3; ++c) {
      const double lead = values[three.number[i]] - values[c];
      below += c != three.number[i] && lead < 2 - 1e-7 ? three.weights[i] : 0;
      not_above += c != three.number[i] && lead <= 2 + 1e-7 ? three.weights[i] : 0;
    }
  }
  EXPECT_LE(below, nu * 2 * three.total() * (1 + 1e-9));
  EXPECT_GE(not_above, nu * 2 * three.total() * (1 - 1e-9));
}

TEST(LapcMachines, RefuseWhatMeansNothing) {
  const Clusters rows(20, 3, 0.5, 13);
  const Kernel kernel = parse_kernel(bump_spec);
  const auto refuses = [&](const LapcOptions& options, const std::string& words) {
    EXPECT_ERROR(fit_lapc(kernel, options, rows.data(), mercer::Run()), InvalidArgument, words);
  };
  refuses({.lambda = 0, .machine = MarginMachine::signed_labels}, "lambda = 0 belongs to machine=loo");
  refuses({.own_share = 0.5}, "own_share belongs to machine=loo, not to machine=l1");
  refuses({.machine = MarginMachine::leave_one_out, .own_share = 1.5}, "own_share");
  refuses({.nu = 0.0}, "nu");
  refuses({.select = LapcSelection::cross_validation, .nu = 0.3}, "nu finds the lambda that select=cv chooses");
  refuses({.nu = 0.3, .prior = ProcessPrior::concave}, "nu belongs to prior=laplacian");
  refuses({.machine = MarginMachine::signed_labels, .multiclass = Multiclass::weston_watkins},
          "multiclass=ww needs machine=l1");
  refuses({.select = LapcSelection::cross_validation, .multiclass = Multiclass::weston_watkins}, "multiclass=ww needs");
  refuses({.multiclass = Multiclass::crammer_singer}, "multiclass");
}

// Copies, constants, tiny and huge units.
TEST(LapcMachines, DegenerateRows) {
  const std::vector<std::string> labels = {"a", "b", "c", "a", "b", "c"};
  const Targets classes = Targets::classes(labels);
  for (const char* const spec : {"rbf(gamma=1)", "linear()"}) {
    for (const double unit : {1.0, 1e-3, 1e3}) {
      Matrix<double> x(6, 1);
      for (Index i = 0; i < 6; ++i) {
        x(i, 0) = unit * static_cast<double>(i % 3);
      }
      for (const LapcOptions& options :
           {LapcOptions{.machine = MarginMachine::signed_labels}, LapcOptions{.machine = MarginMachine::leave_one_out},
            LapcOptions{.lambda = 0, .machine = MarginMachine::leave_one_out},
            LapcOptions{.multiclass = Multiclass::weston_watkins}}) {
        const auto model = fit_lapc(parse_kernel(spec), options,
                                    {make_dense(Matrix<double>::copy_of(x.view())), classes}, mercer::Run());
        // Of three machines one may cost a millionth of the others.
        EXPECT_LE(measure(*model, "duality gap"), 1e-6 * model->report().objective) << spec << ' ' << unit;
        EXPECT_TRUE(std::isfinite(model->report().objective));
      }
    }
  }
  const Samples equal = make_dense(Matrix<double>::filled(6, 1, 2.0));
  for (const LapcOptions& options :
       {LapcOptions{.machine = MarginMachine::signed_labels}, LapcOptions{.multiclass = Multiclass::weston_watkins}}) {
    EXPECT_EQ(fit_lapc(parse_kernel("rbf(gamma=1)"), options, {equal, classes}, mercer::Run())->report().status,
              SolveStatus::converged);
  }
  EXPECT_ERROR(fit_lapc(parse_kernel("rbf(gamma=1)"), {.nu = 0.5}, {equal, classes}, mercer::Run()), NumericalError,
               "nu = 0.5 leaves no margin");
}

}  // namespace
}  // namespace mercer
