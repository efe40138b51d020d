// The mean field of machines with any parametric part, against solving their margin equations without the row.
#include "mercer/select/estimates/semiparametric_mean_field.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/kernels/spec.h"
#include "models/random_problem.h"
#include "support/dense.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::random_matrix;

// A machine by its equations: free rows are on their margins, f(x_i) = t_i, bound rows have what they have.
struct MarginMachine {
  Dense k;
  Dense functions;
  std::vector<Index> free;
  std::vector<Index> bound;
  std::vector<double> beta;
  Dense margins;  // t
};

struct MachineFunction {
  Dense free_beta;
  Dense gamma;
};

// [K_FF Ψ_F; Ψ_Fᵀ 0][β_F; γ] = [t_F − K_FB β_B; −Ψ_Bᵀ β_B]
MachineFunction solve_margins(const MarginMachine& machine, const std::vector<Index>& free,
                              const std::vector<Index>& bound) {
  const auto f = static_cast<Index>(free.size());
  const Index count = machine.functions.columns();
  Dense system(f + count, f + count);
  Dense right(f + count, 1);
  for (Index i = 0; i < f; ++i) {
    for (Index j = 0; j < f; ++j) {
      system(i, j) = machine.k(free[i], free[j]);
    }
    for (Index p = 0; p < count; ++p) {
      system(i, f + p) = machine.functions(free[i], p);
      system(f + p, i) = machine.functions(free[i], p);
    }
    right(i, 0) = machine.margins(free[i]);
    for (const Index j : bound) {
      right(i, 0) -= machine.k(free[i], j) * machine.beta[j];
    }
  }
  for (Index p = 0; p < count; ++p) {
    for (const Index j : bound) {
      right(f + p, 0) -= machine.functions(j, p) * machine.beta[j];
    }
  }
  const Dense solution = system.solve(right);
  return {.free_beta = solution.block(0, 0, f, 1), .gamma = solution.block(f, 0, count, 1)};
}

double value_at(const MarginMachine& machine, const MachineFunction& found, const std::vector<Index>& free,
                const std::vector<Index>& bound, Index row) {
  double value = 0;
  for (Index i = 0; i < static_cast<Index>(free.size()); ++i) {
    value += found.free_beta(i) * machine.k(row, free[i]);
  }
  for (const Index j : bound) {
    value += machine.beta[j] * machine.k(row, j);
  }
  for (Index p = 0; p < machine.functions.columns(); ++p) {
    value += found.gamma(p) * machine.functions(row, p);
  }
  return value;
}

Dense functions_of(const Matrix<double>& x, Index count) {
  Dense functions(x.rows(), count);
  for (Index i = 0; i < x.rows(); ++i) {
    const double all[] = {1.0, x(i, 0), x(i, 1), std::sin(3 * x(i, 0))};
    for (Index p = 0; p < count; ++p) {
      functions(i, p) = all[p];
    }
  }
  return functions;
}

// Rows 0 … 13 are free, 14 … 19 at their bound 0.7, 20 and 21 are no support vectors.
MarginMachine random_machine(const std::string& kernel, Index count, std::uint64_t seed) {
  const Matrix<double> x = random_matrix(22, 2, seed);
  const Samples samples = make_dense(Matrix<double>::copy_of(x.view()));
  MarginMachine machine{.k = testing::kernel_matrix(parse_kernel(kernel), samples, samples),
                        .functions = functions_of(x, count),
                        .free = {},
                        .bound = {},
                        .beta = std::vector<double>(22, 0.0),
                        .margins = Dense(random_matrix(22, 1, seed + 1))};
  for (Index i = 0; i < 20; ++i) {
    (i < 14 ? machine.free : machine.bound).push_back(i);
    machine.beta[i] = i < 14 ? 0.0 : i % 2 == 0 ? 0.7 : -0.7;
  }
  const MachineFunction whole = solve_margins(machine, machine.free, machine.bound);
  for (Index i = 0; i < 14; ++i) {
    machine.beta[i] = whole.free_beta(i);
  }
  return machine;
}

std::vector<double> bounds_of(const MarginMachine& machine) {
  std::vector<double> bounds(machine.beta.size(), 1e9);
  for (const Index j : machine.bound) {
    bounds[j] = 0.7;
  }
  return bounds;
}

std::optional<MeanField> field_of(const MarginMachine& machine, Index max_free = 100) {
  const Index n = machine.k.rows();
  Matrix<double> k(n, n);
  Matrix<double> functions(n, machine.functions.columns());
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      k(i, j) = machine.k(i, j);
    }
    for (Index p = 0; p < functions.columns(); ++p) {
      functions(i, p) = machine.functions(i, p);
    }
  }
  return mean_field(DenseGram<double>(std::move(k)), machine.beta, bounds_of(machine), functions.view(), max_free,
                    mercer::Run{});
}

std::vector<Index> without(std::vector<Index> rows, Index row) {
  std::erase(rows, row);
  return rows;
}

TEST(SemiparametricMeanField, EqualsTheMarginEquationsWithoutTheRow) {
  struct Problem {
    std::string kernel;
    Index functions;
  };
  for (const Problem& problem :
       {Problem{"rbf(gamma=2)", 0}, Problem{"rbf(gamma=2)", 1}, Problem{"rbf(gamma=2)", 3}, Problem{"rbf(gamma=2)", 4},
        Problem{"negative_distance()", 1}, Problem{"thin_plate(lengthscale=1)", 3}}) {
    for (std::uint64_t seed = 1; seed < 5; ++seed) {
      const MarginMachine machine = random_machine(problem.kernel, problem.functions, seed);
      const auto field = field_of(machine);
      ASSERT_TRUE(field.has_value()) << problem.kernel;
      ASSERT_EQ(field->rows.size(), 20U);
      const MachineFunction whole = solve_margins(machine, machine.free, machine.bound);
      for (std::size_t s = 0; s < field->rows.size(); ++s) {
        const Index l = field->rows[s];
        const std::vector<Index> free = without(machine.free, l);
        const std::vector<Index> bound = without(machine.bound, l);
        const MachineFunction rest = solve_margins(machine, free, bound);
        const double truth =
            value_at(machine, whole, machine.free, machine.bound, l) - value_at(machine, rest, free, bound, l);
        EXPECT_NEAR(field->changes[s], truth, 1e-6 * (1e-3 + std::abs(truth)))
            << problem.kernel << " " << problem.functions << " functions, row " << l;
      }
    }
  }
}

TEST(SemiparametricMeanField, AConstantIsTheOffset) {
  const MarginMachine machine = random_machine("rbf(gamma=2)", 1, 9);
  Matrix<double> k(22, 22);
  for (Index i = 0; i < 22; ++i) {
    for (Index j = 0; j < 22; ++j) {
      k(i, j) = machine.k(i, j);
    }
  }
  const auto one = field_of(machine);
  const auto other =
      mean_field(DenseGram<double>(std::move(k)), machine.beta, bounds_of(machine), HeldSums::all, 100, mercer::Run{});
  ASSERT_TRUE(one && other);
  ASSERT_EQ(one->rows, other->rows);
  for (std::size_t s = 0; s < one->rows.size(); ++s) {
    EXPECT_NEAR(one->changes[s], other->changes[s], 1e-8 * std::abs(other->changes[s]));
  }
}

// The function that is 1 at the first row alone: nobody can take that row's part.
TEST(SemiparametricMeanField, ARowThatAFunctionNeedsIsNotLeftOut) {
  MarginMachine machine = random_machine("rbf(gamma=2)", 2, 4);
  for (Index i = 0; i < 22; ++i) {
    machine.functions(i, 1) = i == 0 ? 1 : 0;
  }
  const auto field = field_of(machine);
  ASSERT_TRUE(field.has_value());
  EXPECT_TRUE(std::isinf(field->changes[0]));
  EXPECT_TRUE(std::isfinite(field->changes[1]));
}

TEST(SemiparametricMeanField, NothingIsSaidWhereTheFunctionsAreNotDetermined) {
  MarginMachine machine = random_machine("rbf(gamma=2)", 3, 4);
  EXPECT_FALSE(field_of(machine, 13).has_value());
  for (Index i = 0; i < 14; ++i) {
    machine.functions(i, 2) = 2 - machine.functions(i, 1);
  }
  EXPECT_FALSE(field_of(machine).has_value());
  const Matrix<double> few(21, 1);
  EXPECT_ERROR(mean_field(DenseGram<double>(Matrix<double>::filled(22, 22, 1.0)), machine.beta, bounds_of(machine),
                          few.view(), 100, mercer::Run{}),
               InvalidArgument, "functions of 21 rows for 22");
}

}  // namespace
}  // namespace mercer
