// What the mean field says of machines without a row, against solving them without it.
#include "mercer/select/estimates/mean_field.h"

#include <gtest/gtest.h>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "mercer/select/estimates/svr_leave_one_out.h"
#include "mercer/solvers/svm/regression_dual.h"
#include "select/estimates/machine_problems.h"
#include "support/dense.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::clouds;
using testing::high_accuracy;
using testing::kernel_matrix;
using testing::KernelKind;
using testing::LabeledPoints;

int kind_of(double beta, double bound) {
  return std::abs(beta) < 1e-9 ? 0 : std::abs(beta) > bound * (1 - 1e-9) ? 2 : beta > 0 ? 1 : -1;
}

// Counts the rows without which no other row changes its kind, and compares their changes with the refits'.
template <class Solve>
Index compare_with_refits(const Gram<double>& gram, const std::vector<double>& bounds, HeldSums held, double scale,
                          Solve solve, const std::string& what) {
  const SvmDual whole = solve(bounds);
  const auto field = mean_field(gram, whole.coefficients, bounds, held, 1000, mercer::Run{});
  if (!field) {
    return 0;
  }
  Index unchanged = 0;
  for (std::size_t s = 0; s < field->rows.size(); ++s) {
    const auto l = static_cast<std::size_t>(field->rows[s]);
    std::vector<double> without = bounds;
    without[l] = 0;
    const SvmDual refit = solve(without);
    bool same = true;
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      same = same && (i == l || kind_of(whole.coefficients[i], bounds[i]) == kind_of(refit.coefficients[i], bounds[i]));
    }
    if (same) {
      ++unchanged;
      const double truth = whole.values[l] + whole.offset - refit.values[l] - refit.offset;
      EXPECT_NEAR(field->changes[s], truth, 1e-6 * scale) << what << " " << l;
    }
  }
  return unchanged;
}

TEST(MeanField, NuSvcIsExactWhereNoRowChangesItsKind) {
  Index unchanged = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const LabeledPoints points = clouds(24, 11, 2, 1.5, seed + 500);
    const DenseGram<double> gram(kernel_matrix(points.x, KernelKind::gaussian, 0.4));
    const double sum = 0.45 * 24;  // Σα of the whole machine is kept
    const auto solve = [&](const std::vector<double>& weights) {
      double total = 0;
      for (const double w : weights) {
        total += w;
      }
      SvmDual dual = solve_undivided_nu_svc(gram, points.signs, sum / total, weights, high_accuracy, mercer::Run{});
      return dual;
    };
    unchanged += compare_with_refits(gram, std::vector<double>(24, 1.0), HeldSums::each_sign, 1, solve,
                                     "seed " + std::to_string(seed));
  }
  EXPECT_GT(unchanged, 15);
}

TEST(MeanField, RegressionIsExactWhereNoRowChangesItsKind) {
  Index unchanged = 0;
  Index unchanged_nu = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const LabeledPoints points = clouds(20, 10, 2, 1, seed + 700);
    const DenseGram<double> gram(kernel_matrix(points.x, KernelKind::gaussian, 0.4));
    RandomStream random(seed, 3);
    std::vector<double> y;
    for (const auto& row : points.x) {
      y.push_back(std::sin(row[0]) + 0.2 * random.normal());
    }
    const std::vector<double> bounds(20, 2.0);
    unchanged += compare_with_refits(
        gram, bounds, HeldSums::all, 1,
        [&](const std::vector<double>& c) { return solve_epsilon_svr(gram, y, 0.1, c, high_accuracy, mercer::Run{}); },
        "svr " + std::to_string(seed));
    unchanged_nu += compare_with_refits(
        gram, bounds, HeldSums::each_sign, 1,
        [&](const std::vector<double>& c) {
          double total = 0;
          for (const double bound : c) {
            total += bound;
          }
          return solve_nu_svr(gram, y, 0.4 * 40 / total, c, high_accuracy, mercer::Run{});
        },
        "nusvr " + std::to_string(seed));
  }
  EXPECT_GT(unchanged, 15);
  EXPECT_GT(unchanged_nu, 15);
}

// Without an offset and without bounds a machine on its margins is an interpolation, f = yᵀK⁻¹k: its leave-one-out
// residual is α_l/[K⁻¹]_ll.
TEST(MeanField, WithoutOffsetItIsTheClosedFormOfInterpolation) {
  const LabeledPoints points = clouds(9, 4, 2, 1, 77);
  const Matrix<double> k = kernel_matrix(points.x, KernelKind::gaussian, 0.7);
  const Dense all(k);
  const Dense alpha = all.solve_positive(Dense(points.signs));
  const std::vector<double> beta(alpha.data(), alpha.data() + 9);
  const auto field = mean_field(DenseGram<double>(Matrix<double>::copy_of(k.view())), beta, std::vector<double>(9, 1e9),
                                HeldSums::none, 1000, mercer::Run{});
  ASSERT_TRUE(field.has_value());
  ASSERT_EQ(field->rows.size(), 9U);
  for (Index l = 0; l < 9; ++l) {
    std::vector<Index> others;
    for (Index i = 0; i < 9; ++i) {
      if (i != l) {
        others.push_back(i);
      }
    }
    const Dense rest = all.picked(others, others).solve_positive(Dense(points.signs).picked_rows(others));
    const std::vector<Index> own = {l};
    const double without = all.picked(own, others).row(0).dot(rest.transpose());
    EXPECT_NEAR(field->changes[l], points.signs[l] - without, 1e-8);
  }
}

TEST(MeanField, NothingIsSaidWhereASumHasNoFreeRow) {
  const LabeledPoints points = clouds(6, 3, 2, 1, 5);
  const DenseGram<double> gram(kernel_matrix(points.x, KernelKind::gaussian));
  const std::vector<double> bounds(6, 1.0);
  const std::vector<double> beta = {0.5, 0.5, 0, -1, 0, 0};
  EXPECT_TRUE(mean_field(gram, beta, bounds, HeldSums::all, 10, mercer::Run{}).has_value());
  EXPECT_FALSE(mean_field(gram, beta, bounds, HeldSums::each_sign, 10, mercer::Run{}).has_value());
  EXPECT_FALSE(mean_field(gram, beta, bounds, HeldSums::all, 1, mercer::Run{}).has_value());
  EXPECT_ERROR(mean_field(gram, beta, std::vector<double>(5, 1.0), HeldSums::all, 10, mercer::Run{}), InvalidArgument,
               "6 coefficients and 5 bounds for 6 rows");
}

TrainingData noisy_sine(Index rows, std::uint64_t seed) {
  RandomStream random(seed, 78);
  Matrix<double> x(rows, 1);
  std::vector<double> y;
  for (Index i = 0; i < rows; ++i) {
    x(i, 0) = 6 * random.uniform();
    y.push_back(40 + 10 * (std::sin(2 * x(i, 0)) + 0.3 * random.normal()));
  }
  return {make_dense(std::move(x)), Targets::numeric(y, "y"), {}};
}

double refitted_rmse(const ModelEntry& entry, const std::vector<OptionSetting>& settings, const TrainingData& data,
                     const Kernel& kernel = parse_kernel("rbf(gamma=0.5)")) {
  const Matrix<double> truth = data.targets.values();
  double squares = 0;
  const Index n = data.samples.size();
  for (Index l = 0; l < n; ++l) {
    std::vector<Index> rows;
    for (Index i = 0; i < n; ++i) {
      if (i != l) {
        rows.push_back(i);
      }
    }
    const auto model =
        entry.fit(kernel, settings, {data.samples.select(rows), data.targets.select(rows), {}}, mercer::Run{});
    const std::vector<Index> own = {l};
    const double error = truth(l, 0) - model->predict(data.samples.select(own), mercer::Run{})(0, 0);
    squares += error * error / static_cast<double>(n);
  }
  return std::sqrt(squares);
}

TEST(SvrLeaveOneOut, IsCloseToRefitting) {
  const TrainingData data = noisy_sine(60, 1);
  for (const char* const name : {"svr", "nusvr"}) {
    const std::vector<OptionSetting> settings = {{"C", "2"}, {"tolerance", "1e-7"}, {"standardize", "yes"}};
    const ModelEntry& entry = find_model(name);
    const auto fitted = entry.fit(parse_kernel("rbf(gamma=0.5)"), settings, data, mercer::Run{});
    const auto& model = dynamic_cast<const SvrModel&>(*fitted);
    const SvrLeaveOneOut estimate = svr_leave_one_out(model, data, mercer::Run{});
    ASSERT_TRUE(estimate.why_none.empty()) << name << estimate.why_none;
    const double truth = refitted_rmse(entry, settings, data);
    EXPECT_NEAR(estimate.rmse(), truth, 0.25 * truth) << name;  // most rows are outside the tube, few can take over
    EXPECT_LT(estimate.mae(), estimate.rmse());
    // More than the training error, which no row was left out of.
    const Matrix<double> f = model.predict(data.samples, mercer::Run{});
    const Matrix<double> y = data.targets.values();
    double squares = 0;
    for (Index i = 0; i < 60; ++i) {
      squares += (y(i, 0) - f(i, 0)) * (y(i, 0) - f(i, 0)) / 60;
    }
    EXPECT_GT(estimate.rmse(), std::sqrt(squares));
    EXPECT_ERROR(svr_leave_one_out(model, noisy_sine(60, 2), mercer::Run{}), DataError, "are not optimal for row");
  }
}

// With functions beside the kernel, against refits: without a tube and with a large C every row is on its margin, and
// stays there when another is left out.
TEST(SvrLeaveOneOut, OfMachinesWithFunctionsIsThatOfRefits) {
  TrainingData data = noisy_sine(20, 4);
  Matrix<double> grid(20, 1);
  for (Index i = 0; i < 20; ++i) {
    grid(i, 0) = 0.3 * static_cast<double>(i);  // far enough apart for coefficients of moderate size
  }
  data.samples = make_dense(std::move(grid));
  const Kernel kernel = parse_kernel("rbf(gamma=20)");
  for (const char* const part : {"linear", "quadratic", "none", "linear + periodic(period=3.2)"}) {
    const std::vector<OptionSetting> settings = {
        {"C", "1e5"}, {"epsilon", "0"}, {"standardize", "no"}, {"tolerance", "1e-9"}, {"parametric", part}};
    const ModelEntry& entry = find_model("svr");
    const auto fitted = entry.fit(kernel, settings, data, mercer::Run{});
    const SvrLeaveOneOut estimate = svr_leave_one_out(dynamic_cast<const SvrModel&>(*fitted), data, mercer::Run{});
    ASSERT_TRUE(estimate.why_none.empty()) << part << estimate.why_none;
    const double truth = refitted_rmse(entry, settings, data, kernel);
    EXPECT_NEAR(estimate.rmse(), truth, 1e-4 * truth) << part;
  }
  SvrOptions priced;
  priced.parametric = ParametricPart::linear;
  priced.parametric_l1 = 0.1;
  const auto model = fit_svr(parse_kernel("rbf(gamma=0.5)"), priced, data);
  EXPECT_ERROR(svr_leave_one_out(*model, data, mercer::Run{}), InvalidArgument, "parametric_l1 = 0.1");
}

TEST(SvrLeaveOneOut, SaysWhyThereIsNone) {
  const TrainingData data = noisy_sine(60, 3);
  SvrOptions options;
  options.max_steps = 2;
  const auto stopped = fit_svr(parse_kernel("rbf(gamma=0.5)"), options, data);
  EXPECT_NE(svr_leave_one_out(*stopped, data, mercer::Run{}).why_none.find("max_steps"), std::string::npos);
}

}  // namespace
}  // namespace mercer
