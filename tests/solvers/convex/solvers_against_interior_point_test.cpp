// Every convex solver of the project against the interior point method: another algorithm for the same optimum. The
// programmes are the set-ups of convex_program.h; what is compared is the objective, which both know to their tolerances.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "mercer/base/random.h"
#include "mercer/solvers/convex/interior/interior_point.h"
#include "mercer/solvers/convex/kernel_weights.h"
#include "mercer/solvers/convex/linear_program.h"
#include "mercer/solvers/convex/nonnegative_qp.h"
#include "mercer/solvers/convex/program/dense_quadratic.h"
#include "mercer/solvers/convex/program/mirrored_quadratic.h"
#include "mercer/solvers/convex/tube_program.h"
#include "mercer/solvers/svm/box_path.h"
#include "mercer/solvers/svm/box_step.h"
#include "mercer/solvers/svm/joint_multiclass.h"
#include "mercer/solvers/svm/one_class_dual.h"
#include "mercer/solvers/svm/regression_dual.h"
#include "mercer/solvers/svm/svm_dual.h"
#include "solvers/svm_oracle.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::stored_gram;
using testing::sum_of;
using testing::svm_problem;
using testing::SvmProblem;

const mercer::Run one_thread{{.threads = 1}};
constexpr double no_bound = std::numeric_limits<double>::infinity();
constexpr BoxQpOptions to_the_end{.tolerance = 1e-9};

/// A programme and the rows that it refers to.
struct OwnedProgram {
  Matrix<double> rows;
  ConvexProgram program;

  explicit OwnedProgram(const Dense& quadratic) {
    program.quadratic = std::make_shared<DenseQuadratic>(quadratic.matrix());
    program.linear.assign(quadratic.rows(), 0.0);
    program.lower.assign(quadratic.rows(), -no_bound);
    program.upper.assign(quadratic.rows(), no_bound);
  }
  void set_rows(const std::vector<std::vector<double>>& values, std::vector<double> sums) {
    rows = Matrix<double>(std::ssize(values), program.size());
    for (Index i = 0; i < rows.rows(); ++i) {
      std::copy(values[i].begin(), values[i].end(), rows.view().row_data(i));
    }
    program.equality = rows.view();
    program.equality_values = std::move(sums);
  }
  ConvexSolution solve() const {
    ConvexSolution solution = solve_convex_program(program, {.tolerance = 1e-9}, one_thread);
    EXPECT_EQ(solution.status, ProgramStatus::converged) << solution.message;
    return solution;
  }
};

// The sizes that the objective is made of bound what tolerances of gradients do to it.
void expect_same_objective(double ours, double theirs, double size) { EXPECT_NEAR(ours, theirs, 1e-7 * (1 + size)); }

class AgainstInteriorPoint : public ::testing::TestWithParam<int> {
 protected:
  AgainstInteriorPoint()
      : seed_(static_cast<std::uint64_t>(GetParam())),
        problem_(svm_problem(20 + static_cast<Index>(5 * seed_), 2, seed_)),
        gram_(stored_gram<double>(problem_.kernel)) {
    RandomStream random(seed_, 77);
    const double cost = std::pow(10.0, 2 * random.uniform() - 1);
    for (Index i = 0; i < problem_.size(); ++i) {
      bounds_.push_back(cost * (0.5 + random.uniform()));
    }
  }
  Index size() const { return problem_.size(); }
  std::vector<double> ones() const { return std::vector<double>(size(), 1.0); }
  double scale() const { return sum_of(bounds_) * (1 + sum_of(bounds_)); }

  /// 0 ≤ sign β ≤ bound, Σβ = 0.
  OwnedProgram signed_box(const Dense& quadratic) const {
    OwnedProgram owned(quadratic);
    for (Index i = 0; i < size(); ++i) {
      const bool positive = problem_.signs[i] > 0;
      owned.program.lower[i] = positive ? 0.0 : -bounds_[i];
      owned.program.upper[i] = positive ? bounds_[i] : 0.0;
    }
    owned.set_rows({ones()}, {0});
    return owned;
  }
  /// (a⁺, a⁻) with β = a⁺ − a⁻.
  OwnedProgram tube(double epsilon) const {
    const Index n = size();
    Dense quadratic(2 * n, 2 * n);
    for (Index i = 0; i < 2 * n; ++i) {
      for (Index j = 0; j < 2 * n; ++j) {
        quadratic(i, j) = ((i < n) == (j < n) ? 1 : -1) * problem_.kernel(i % n, j % n);
      }
    }
    OwnedProgram owned(quadratic);
    std::vector<double> balance(2 * n);
    for (Index i = 0; i < 2 * n; ++i) {
      const double sign = i < n ? 1 : -1;
      owned.program.linear[i] = epsilon - sign * problem_.targets[i % n];
      owned.program.lower[i] = 0;
      owned.program.upper[i] = bounds_[i % n];
      balance[i] = sign;
    }
    owned.set_rows({balance}, {0});
    return owned;
  }
  OwnedProgram weighted_box(const Dense& quadratic, double total) const {
    OwnedProgram owned(quadratic);
    for (Index i = 0; i < size(); ++i) {
      owned.program.lower[i] = 0;
      owned.program.upper[i] = bounds_[i];
    }
    owned.set_rows({ones()}, {total});
    return owned;
  }

  std::uint64_t seed_;
  SvmProblem problem_;
  DenseGram<double> gram_;
  std::vector<double> bounds_;
};

TEST_P(AgainstInteriorPoint, CSvc) {
  OwnedProgram owned = signed_box(problem_.kernel);
  for (Index i = 0; i < size(); ++i) {
    owned.program.linear[i] = -problem_.signs[i];
  }
  const SvmDual dual = solve_c_svc(gram_, problem_.signs, bounds_, to_the_end, one_thread);
  const ConvexSolution exact = owned.solve();
  expect_same_objective(dual.objective, exact.primal, scale());
  Index free = 0;
  for (Index i = 0; i < size(); ++i) {
    const double alpha = std::abs(exact.point.x[i]);
    free += alpha > 1e-3 * bounds_[i] && alpha < 0.999 * bounds_[i] ? 1 : 0;
  }
  if (free > 0) {  // only then is the offset one number
    EXPECT_NEAR(dual.offset, -exact.point.equality_multipliers[0], 1e-5 * (1 + std::abs(dual.offset)));
  }
}

TEST_P(AgainstInteriorPoint, L2Svc) {
  Dense ridge = problem_.kernel;
  for (Index i = 0; i < size(); ++i) {
    ridge(i, i) += 1 / (2 * bounds_[i]);
  }
  OwnedProgram owned = signed_box(ridge);
  for (Index i = 0; i < size(); ++i) {
    owned.program.linear[i] = -problem_.signs[i];
    (problem_.signs[i] > 0 ? owned.program.upper : owned.program.lower)[i] = problem_.signs[i] * no_bound;
  }
  const SvmDual dual = solve_l2_svc(gram_, problem_.signs, bounds_, to_the_end, one_thread);
  expect_same_objective(dual.objective, owned.solve().primal, scale());
}

TEST_P(AgainstInteriorPoint, NuSvc) {
  const double nu = 0.4 * largest_nu(problem_.signs, bounds_);
  OwnedProgram owned = signed_box(problem_.kernel);
  owned.set_rows({ones(), problem_.signs}, {0, nu * sum_of(bounds_)});
  const SvmDual dual = solve_undivided_nu_svc(gram_, problem_.signs, nu, bounds_, to_the_end, one_thread);
  expect_same_objective(dual.objective, owned.solve().primal, scale());
}

TEST_P(AgainstInteriorPoint, Hulls) {
  // Repeated rows with both labels make hulls meet: a ridge keeps them apart.
  const Dense apart = problem_.kernel + 0.1 * Dense::identity(size());
  OwnedProgram owned = signed_box(apart);
  std::vector<double> positive(size());
  std::vector<double> negative(size());
  for (Index i = 0; i < size(); ++i) {
    owned.program.lower[i] = problem_.signs[i] > 0 ? 0.0 : -no_bound;
    owned.program.upper[i] = problem_.signs[i] > 0 ? no_bound : 0.0;
    (problem_.signs[i] > 0 ? positive : negative)[i] = 1;
  }
  owned.set_rows({positive, negative}, {1, -1});
  const DenseGram<double> gram = stored_gram<double>(apart);
  const SvmDual dual = solve_c_svc(gram, problem_.signs, std::vector<double>(size(), no_bound), to_the_end, one_thread);
  // The hard margin 2/‖w‖ is the distance of the hulls, ‖w‖² = βᵀKβ.
  const Dense beta = testing::as_vector(dual.coefficients);
  const double squared_norm = beta.dot(apart * beta);
  EXPECT_NEAR(4 / squared_norm, 2 * owned.solve().primal, 1e-6);
}

TEST_P(AgainstInteriorPoint, EpsilonSvr) {
  const SvmDual dual = solve_epsilon_svr(gram_, problem_.targets, 0.1, bounds_, to_the_end, one_thread);
  expect_same_objective(dual.objective, tube(0.1).solve().primal, scale());
}

// The same programme without the matrix of order 2n; fixed variables on either side or both.
TEST_P(AgainstInteriorPoint, MirroredTube) {
  OwnedProgram owned = tube(0.1);
  for (Index i = 0; i < size(); i += 4) {
    owned.program.upper[i] = 0;
    owned.program.upper[size() + (i + i % 8 / 4) % size()] = 0;
  }
  const ConvexSolution whole = owned.solve();
  owned.program.quadratic =
      std::make_shared<MirroredQuadratic>(std::make_shared<DenseQuadratic>(problem_.kernel.matrix()));
  const ConvexSolution half = owned.solve();
  expect_same_objective(half.primal, whole.primal, scale());
  EXPECT_LE(half.iterations, whole.iterations + 3);
}

TEST_P(AgainstInteriorPoint, NuSvr) {
  OwnedProgram owned = tube(0);
  std::vector<double> balance(2 * size(), 1.0);
  std::fill(balance.begin() + size(), balance.end(), -1.0);
  owned.set_rows({balance, std::vector<double>(2 * size(), 1.0)}, {0, 0.3 * sum_of(bounds_)});
  const SvmDual dual = solve_nu_svr(gram_, problem_.targets, 0.3, bounds_, to_the_end, one_thread);
  const ConvexSolution exact = owned.solve();
  expect_same_objective(dual.objective, exact.primal, scale());
  EXPECT_NEAR(dual.margin, -exact.point.equality_multipliers[1], 1e-4 * (1 + dual.margin));  // ε
}

TEST_P(AgainstInteriorPoint, OneClass) {
  const SvmDual dual = solve_one_class(gram_, 0.3, bounds_, to_the_end, one_thread);
  const ConvexSolution exact = weighted_box(problem_.kernel, 0.3 * sum_of(bounds_)).solve();
  expect_same_objective(dual.objective, exact.primal, scale());
  EXPECT_NEAR(-dual.offset, exact.point.equality_multipliers[0], 1e-4 * (1 + std::abs(dual.offset)));
}

TEST_P(AgainstInteriorPoint, Svdd) {
  const SvmDual dual = solve_svdd(gram_, 0.3, bounds_, to_the_end, one_thread);
  // Σβ = 1 with bounds w/(νΣw): the ball itself.
  const double total = 0.3 * sum_of(bounds_);
  OwnedProgram owned = weighted_box(2.0 * problem_.kernel, 1);
  for (Index i = 0; i < size(); ++i) {
    owned.program.upper[i] /= total;
    owned.program.linear[i] = -problem_.kernel(i, i);
  }
  const ConvexSolution exact = owned.solve();
  const Dense alpha = testing::as_vector(exact.point.x);
  const double radius = alpha.dot(problem_.kernel * alpha) - exact.point.equality_multipliers[0];
  EXPECT_NEAR(dual.margin, radius, 1e-5);
}

TEST_P(AgainstInteriorPoint, BoxQpWithRidgeAndTwoGroups) {
  RandomStream random(seed_, 78);
  BoxQp qp;
  Dense ridge = problem_.kernel;
  std::vector<std::vector<double>> groups(2, std::vector<double>(size(), 0.0));
  for (Index i = 0; i < size(); ++i) {
    qp.linear.push_back(random.normal());
    qp.lower.push_back(-random.uniform());
    qp.upper.push_back(random.uniform());
    qp.start.push_back(0.2 * random.uniform() * (random.uniform() < 0.5 ? qp.lower.back() : qp.upper.back()));
    qp.ridge.push_back(0.1 * random.uniform());
    qp.group.push_back(random.uniform() < 0.5 ? 1 : 0);
    ridge(i, i) += qp.ridge.back();
    groups[qp.group.back()][i] = 1;
  }
  OwnedProgram owned(ridge);
  owned.program.linear = qp.linear;
  owned.program.lower = qp.lower;
  owned.program.upper = qp.upper;
  std::vector<double> sums(2, 0.0);
  for (Index i = 0; i < size(); ++i) {
    sums[qp.group[i]] += qp.start[i];
  }
  owned.set_rows(groups, sums);
  const BoxQpResult result = solve_box_qp(gram_, qp, to_the_end, one_thread);
  const ConvexSolution exact = owned.solve();
  expect_same_objective(result.objective, exact.primal, static_cast<double>(size()));
  EXPECT_LE((testing::as_vector(result.coefficients) - testing::as_vector(exact.point.x)).max_abs(), 1e-3);
}

TEST_P(AgainstInteriorPoint, BoxPath) {
  const Index stride = (size() + 16) / 8 * 8;
  std::vector<double> kernel(size() * stride, 0.0);
  MachineBox path;
  for (Index i = 0; i < size(); ++i) {
    path.linear.push_back(-problem_.signs[i]);
    path.lower.push_back(problem_.signs[i] > 0 ? 0.0 : -1.0);
    path.upper.push_back(problem_.signs[i] > 0 ? 1.0 : 0.0);
    for (Index j = 0; j < size(); ++j) {
      kernel[i * stride + j] = problem_.kernel(i, j);
    }
  }
  BoxPath<double> machine({{kernel.data(), size(), size(), stride}, 0.0}, path, 1e-9, 10000000);
  for (const double c : {0.1, 1.0, 10.0}) {
    machine.advance(c, one_thread);
    bounds_.assign(size(), c);
    OwnedProgram owned = signed_box(problem_.kernel);
    double objective = 0;
    for (Index i = 0; i < size(); ++i) {
      owned.program.linear[i] = -problem_.signs[i];
      objective += machine.coefficient(i) * (0.5 * machine.values()[i] - problem_.signs[i]);
    }
    expect_same_objective(objective, owned.solve().primal, scale());
  }
}

TEST_P(AgainstInteriorPoint, BoxStep) {
  RandomStream random(seed_, 79);
  const Dense b = problem_.kernel + 0.01 * Dense::identity(size());
  OwnedProgram owned(b);
  for (Index i = 0; i < size(); ++i) {
    owned.program.linear[i] = random.normal();
    owned.program.lower[i] = -random.uniform();
    owned.program.upper[i] = random.uniform();
  }
  const BoxStep step = minimize_model_in_box(b.matrix().view(), owned.program.linear, owned.program.lower,
                                             owned.program.upper, one_thread);
  expect_same_objective(-step.decrease, owned.solve().primal, static_cast<double>(size()));
}

// Variables B_ic, class by class: rows add up to 0, with offsets columns too.
TEST_P(AgainstInteriorPoint, JointMulticlass) {
  constexpr Index classes = 3;
  const Index n = size();
  std::vector<std::int32_t> labels;
  for (Index i = 0; i < n; ++i) {
    labels.push_back(
        static_cast<std::int32_t>(i < classes ? i : (problem_.targets[i] > 0.3) + (problem_.signs[i] > 0)));
  }
  for (const JointLoss loss : {JointLoss::weston_watkins, JointLoss::crammer_singer}) {
    for (const JointOffsets offsets : {JointOffsets::none, JointOffsets::exact}) {
      Dense quadratic(classes * n, classes * n);
      for (Index c = 0; c < classes; ++c) {
        for (Index i = 0; i < n; ++i) {
          for (Index j = 0; j < n; ++j) {
            quadratic(c * n + i, c * n + j) = problem_.kernel(i, j);
          }
        }
      }
      OwnedProgram owned(quadratic);
      std::vector<std::vector<double>> rows(n, std::vector<double>(classes * n, 0.0));
      for (Index i = 0; i < n; ++i) {
        for (Index c = 0; c < classes; ++c) {
          const bool own = c == labels[i];
          const Index at = c * n + i;
          rows[i][at] = 1;
          owned.program.linear[at] = own ? -2 : 0;
          const bool watkins = loss == JointLoss::weston_watkins;
          owned.program.lower[at] = own || !watkins ? -no_bound : -bounds_[i];
          owned.program.upper[at] = own ? (watkins ? no_bound : bounds_[i]) : 0;
        }
      }
      if (offsets == JointOffsets::exact) {
        for (Index c = 0; c < classes; ++c) {
          rows.emplace_back(classes * n, 0.0);
          std::fill_n(rows.back().begin() + c * n, n, 1.0);
        }
      }
      owned.set_rows(rows, std::vector<double>(rows.size(), 0.0));
      const JointResult result =
          solve_joint_multiclass(gram_, {.classes = labels, .class_count = classes, .bounds = bounds_},
                                 {.loss = loss, .offsets = offsets, .tolerance = 1e-7}, one_thread);
      EXPECT_NEAR(result.objective, owned.solve().primal, 1e-6 * (1 + scale()));
    }
  }
}

TEST_P(AgainstInteriorPoint, NonnegativeQp) {
  RandomStream random(seed_, 80);
  const Dense b = problem_.kernel + 0.01 * Dense::identity(size());
  OwnedProgram owned(b);
  std::vector<double> weights;
  std::vector<double> start;
  double total = 0;
  for (Index i = 0; i < size(); ++i) {
    owned.program.linear[i] = random.normal();
    owned.program.lower[i] = 0;
    weights.push_back(0.2 + random.uniform());
    start.push_back(random.uniform());
    total += weights.back() * start.back();
  }
  const auto value = [&](const std::vector<double>& x) {
    const Dense at = testing::as_vector(x);
    return 0.5 * at.dot(b * at) + testing::as_vector(owned.program.linear).dot(at);
  };
  const Matrix<double> quadratic = b.matrix();
  const std::vector<double> plain =
      solve_nonnegative_qp({.quadratic = quadratic.view(), .linear = owned.program.linear}, one_thread);
  expect_same_objective(value(plain), owned.solve().primal, static_cast<double>(size()));
  owned.set_rows({weights}, {total});
  const std::vector<double> summed = solve_nonnegative_qp(
      {.quadratic = quadratic.view(), .linear = owned.program.linear, .equality = weights, .start = start}, one_thread);
  expect_same_objective(value(summed), owned.solve().primal, total * static_cast<double>(size()));
}

// a = p − q, one row per sample: Φ(p − q) + b + ξ − s + v = t, |v| ≤ ε.
TEST_P(AgainstInteriorPoint, LinearProgramOfAKernelMachine) {
  const Index n = size();
  const Matrix<double> features = problem_.kernel.matrix();
  for (const double epsilon : {0.0, 0.1}) {
    const std::vector<double> prices(n, 0.5);
    const LinearProgramSolution own =
        solve_linear_program(features.view(), absolute_losses(problem_.targets, bounds_, epsilon), prices,
                             {.offset = ProgramOffset::free}, one_thread);
    OwnedProgram owned(Dense(5 * n + 1, 5 * n + 1));
    std::vector<std::vector<double>> rows(n, std::vector<double>(5 * n + 1, 0.0));
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        rows[i][j] = features(i, j);
        rows[i][n + j] = -features(i, j);
      }
      rows[i][2 * n + i] = 1;
      rows[i][3 * n + i] = -1;
      rows[i][4 * n + i] = 1;
      rows[i][5 * n] = 1;
      for (const Index block : {Index{0}, Index{1}, Index{2}, Index{3}}) {
        owned.program.linear[block * n + i] = block < 2 ? 0.5 : bounds_[i];
        owned.program.lower[block * n + i] = 0;
      }
      owned.program.lower[4 * n + i] = -epsilon;
      owned.program.upper[4 * n + i] = epsilon;
    }
    owned.program.quadratic = nullptr;
    owned.set_rows(rows, problem_.targets);
    EXPECT_NEAR(own.objective, owned.solve().primal, 1e-7 * own.objective);
  }
}

// The same with a tube that is found: Φ(p − q) + b + ε + ξ − s = t above, Φ(p − q) + b − ε − ξ' + s' = t below.
TEST_P(AgainstInteriorPoint, LinearProgramWithATubeThatIsFound) {
  const Index n = size();
  const Index variables = 6 * n + 2;
  const Matrix<double> features = problem_.kernel.matrix();
  for (const double nu : {0.05, 0.3, 0.8}) {
    const TubeProgramSolution own =
        solve_tube_program(features.view(), problem_.targets, bounds_, nu, std::vector<double>(n, 0.5),
                           {.offset = ProgramOffset::free}, one_thread);
    OwnedProgram owned(Dense(variables, variables));
    std::vector<std::vector<double>> rows(2 * n, std::vector<double>(variables, 0.0));
    for (Index i = 0; i < n; ++i) {
      for (Index side : {Index{0}, Index{1}}) {
        std::vector<double>& row = rows[side * n + i];
        for (Index j = 0; j < n; ++j) {
          row[j] = features(i, j);
          row[n + j] = -features(i, j);
        }
        const double sign = side == 0 ? 1 : -1;
        row[(2 + side) * n + i] = sign;   // ξ
        row[(4 + side) * n + i] = -sign;  // s
        row[6 * n] = 1;
        row[6 * n + 1] = sign;
      }
      for (Index block = 0; block < 6; ++block) {
        owned.program.linear[block * n + i] = block < 2 ? 0.5 : block < 4 ? bounds_[i] : 0.0;
        owned.program.lower[block * n + i] = 0;
      }
    }
    owned.program.lower[6 * n + 1] = 0;
    owned.program.linear[6 * n + 1] = nu * sum_of(bounds_);
    std::vector<double> targets = problem_.targets;
    targets.insert(targets.end(), problem_.targets.begin(), problem_.targets.end());
    owned.program.quadratic = nullptr;
    owned.set_rows(rows, targets);
    const ConvexSolution exact = owned.solve();
    EXPECT_NEAR(own.program.objective, exact.primal, 1e-7 * own.program.objective);
    EXPECT_LE(own.program.gap, 1e-7 * own.program.objective);
  }
}

// J(d) = Σ c_k²/(2(d_k + e_k)), on which weights are learnt in kernel_weights_test.cpp: here as Σ q_k(d_k).
class ReciprocalTerm final : public SeparableTerm {
 public:
  ReciprocalTerm(std::vector<double> c, std::vector<double> e) : c_(std::move(c)), e_(std::move(e)) {}
  Index size() const override { return std::ssize(c_); }
  bool present(Index /*i*/) const override { return true; }
  double value(Index i, double x) const override { return c_[i] * c_[i] / (2 * (x + e_[i])); }
  double slope(Index i, double x) const override { return -value(i, x) / (x + e_[i]); }
  double curvature(Index i, double x) const override { return 2 * value(i, x) / ((x + e_[i]) * (x + e_[i])); }

 private:
  std::vector<double> c_;
  std::vector<double> e_;
};

class ReciprocalMachine final : public WeightProblem {
 public:
  ReciprocalMachine(std::vector<double> c, std::vector<double> e) : c_(std::move(c)), e_(std::move(e)) {}
  WeightEvaluation evaluate(std::span<const double> weights, const mercer::Run& /*run*/) override {
    WeightEvaluation evaluation;
    curvature_ = Matrix<double>::filled(std::ssize(c_), std::ssize(c_), 0.0);
    for (std::size_t k = 0; k < c_.size(); ++k) {
      const double beta = c_[k] / (weights[k] + e_[k]);
      evaluation.upper += 0.5 * c_[k] * beta;
      evaluation.linear += c_[k] * beta - 0.5 * e_[k] * beta * beta;
      evaluation.norms.push_back(beta * beta);
      curvature_(static_cast<Index>(k), static_cast<Index>(k)) = beta * beta / (weights[k] + e_[k]);
    }
    return evaluation;
  }
  Matrix<double> curvature(const mercer::Run& /*run*/) override { return Matrix<double>::copy_of(curvature_.view()); }

 private:
  std::vector<double> c_;
  std::vector<double> e_;
  Matrix<double> curvature_;
};

TEST_P(AgainstInteriorPoint, KernelWeights) {
  RandomStream random(seed_, 81);
  std::vector<double> c;
  std::vector<double> e;
  for (int k = 0; k < 6; ++k) {
    c.push_back(0.2 + 2 * random.uniform());
    e.push_back(0.1 + random.uniform());
  }
  ReciprocalMachine machine(c, e);
  const KernelWeights weights =
      learn_kernel_weights(machine, std::vector<double>(6, 1.0), {.norm = 1, .tolerance = 1e-9}, one_thread);
  ConvexProgram program;
  program.linear.assign(6, 0.0);
  program.separable = std::make_shared<ReciprocalTerm>(c, e);
  program.lower.assign(6, 0.0);
  const Matrix<double> sum = Matrix<double>::filled(1, 6, 1.0);
  program.equality = sum.view();
  program.equality_values = {1};
  const ConvexSolution exact = solve_convex_program(program, {}, one_thread);
  ASSERT_EQ(exact.status, ProgramStatus::converged);
  EXPECT_NEAR(weights.upper, exact.primal, 1e-7 * exact.primal);
}

INSTANTIATE_TEST_SUITE_P(Seeds, AgainstInteriorPoint, ::testing::Range(0, 6));

}  // namespace
}  // namespace mercer
