// Decision values against plain sums over pairs, votes and ties, single precision checked by double.
#include "mercer/models/libsvm/libsvm_prediction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "mercer/base/error.h"
#include "mercer/models/libsvm/libsvm_training.h"
#include "support/expect_error.h"
#include "support/same_bits.h"

namespace mercer {
namespace {

Samples random_sparse(std::mt19937& random, Index rows, Index columns, double filled) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> values;
  std::vector<std::int32_t> numbers;
  std::vector<std::int64_t> offsets = {0};
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) {
      if (uniform(random) < 2 * filled - 1) {
        values.push_back(uniform(random));
        numbers.push_back(static_cast<std::int32_t>(j));
      }
    }
    offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
  return make_sparse(std::move(values), std::move(numbers), std::move(offsets), columns);
}

LibsvmModel random_model(std::mt19937& random, LibsvmKernel kernel, Index classes, Index per_class, Index columns) {
  std::normal_distribution<double> normal;
  LibsvmModel model;
  model.kernel = kernel;
  model.gamma = 0.3;
  model.coef0 = 0.5;
  model.degree = 2;
  model.classes = classes;
  Index total = 0;
  for (Index c = 0; c < classes; ++c) {
    model.labels.push_back(static_cast<int>(10 - c));
    model.class_sizes.push_back(per_class + c % 3);
    total += model.class_sizes.back();
  }
  for (Index m = 0; m < model.machines(); ++m) {
    model.rho.push_back(0.3 * normal(random));
  }
  model.coefficients = Matrix<double>(total, classes - 1);
  for (Index s = 0; s < total * (classes - 1); ++s) {
    model.coefficients.data()[s] = normal(random);
  }
  model.support_vectors = random_sparse(random, total, columns, 0.6);
  return model;
}

std::vector<double> dense_row(const Samples& samples, Index i) {
  const auto& rows = samples.as<SparseRows<double>>();
  std::vector<double> x(1000, 0.0);
  for (std::int64_t at = rows.offsets[i]; at < rows.offsets[i + 1]; ++at) {
    x[rows.column_numbers[at]] = rows.values[at];
  }
  return x;
}

double plain_kernel(const LibsvmModel& model, const std::vector<double>& x, const std::vector<double>& z) {
  const double dot = std::inner_product(x.begin(), x.end(), z.begin(), 0.0);
  double distance = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    distance += (x[j] - z[j]) * (x[j] - z[j]);
  }
  switch (model.kernel) {
    case LibsvmKernel::linear:
      return dot;
    case LibsvmKernel::polynomial:
      return std::pow(model.gamma * dot + model.coef0, model.degree);
    case LibsvmKernel::rbf:
      return std::exp(-model.gamma * distance);
    default:
      return std::tanh(model.gamma * dot + model.coef0);
  }
}

// The definition, pair by pair: vectors of class i have the coefficient for j > i in column j − 1, for j < i in j.
double plain_decision(const LibsvmModel& model, const std::vector<double>& x, Index i, Index j) {
  std::vector<Index> starts = {0};
  for (const Index size : model.class_sizes) {
    starts.push_back(starts.back() + size);
  }
  double sum = 0;
  for (const auto& [own, column] : {std::pair{i, j - 1}, {j, i}}) {
    for (Index s = starts[own]; s < starts[own + 1]; ++s) {
      sum += model.coefficients(s, column) * plain_kernel(model, x, dense_row(model.support_vectors, s));
    }
  }
  return sum - model.rho[pair_position(i, j, model.classes)];
}

TEST(LibsvmPrediction, DecisionValuesAreTheDefinition) {
  std::mt19937 random(5);
  for (const LibsvmKernel kernel :
       {LibsvmKernel::linear, LibsvmKernel::polynomial, LibsvmKernel::rbf, LibsvmKernel::sigmoid}) {
    for (const Index classes : {2, 3, 9}) {
      const LibsvmModel model = random_model(random, kernel, classes, 4, 7);
      for (const Index columns : {3, 7, 12}) {
        const Samples samples = random_sparse(random, 9, columns, 0.7);
        const Matrix<double> decisions = libsvm_decision_values(model, samples, mercer::Run());
        for (Index row = 0; row < samples.size(); ++row) {
          for (Index i = 0; i < classes; ++i) {
            for (Index j = i + 1; j < classes; ++j) {
              EXPECT_NEAR(decisions(row, pair_position(i, j, classes)),
                          plain_decision(model, dense_row(samples, row), i, j), 1e-11);
            }
          }
        }
      }
    }
  }
}

TEST(LibsvmPrediction, PairPositionsCountUp) {
  for (Index k = 1; k < 8; ++k) {
    Index next = 0;
    for (Index i = 0; i < k; ++i) {
      for (Index j = i + 1; j < k; ++j) {
        EXPECT_EQ(pair_position(i, j, k), next++);
      }
    }
  }
}

TEST(LibsvmPrediction, DegenerateKernelsAreConstants) {
  std::mt19937 random(6);
  for (const LibsvmKernel kernel : {LibsvmKernel::polynomial, LibsvmKernel::rbf, LibsvmKernel::sigmoid}) {
    LibsvmModel model = random_model(random, kernel, 2, 3, 5);
    model.gamma = 0;
    model.coef0 = -0.7;
    model.degree = 3;
    const Samples samples = random_sparse(random, 4, 5, 0.5);
    const Matrix<double> decisions = libsvm_decision_values(model, samples, mercer::Run());
    EXPECT_NEAR(decisions(2, 0), plain_decision(model, dense_row(samples, 2), 0, 1), 1e-12);
    model.gamma = 0.3;
    model.degree = 0;
    const Matrix<double> flat = libsvm_decision_values(model, samples, mercer::Run());
    EXPECT_NEAR(flat(2, 0), plain_decision(model, dense_row(samples, 2), 0, 1), 1e-12);
  }
}

// Full rows far from the origin have the values of the same rows at it.
TEST(LibsvmPrediction, OffsetsDoNotCountForDistances) {
  std::mt19937 random(17);
  LibsvmModel model = random_model(random, LibsvmKernel::rbf, 2, 20, 3);
  const auto grid = [&](Index rows) {  // multiples of 2⁻¹⁰: exact at an offset of 2³⁰
    std::uniform_int_distribution<int> whole(-2000, 2000);
    std::vector<double> values(3 * rows);
    std::generate(values.begin(), values.end(), [&] { return whole(random) / 1024.0; });
    return values;
  };
  const auto moved = [](std::vector<double> values, double offset) {
    std::vector<std::int32_t> numbers;
    std::vector<std::int64_t> offsets = {0};
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] += offset;
      numbers.push_back(static_cast<std::int32_t>(i % 3));
      if (i % 3 == 2) {
        offsets.push_back(static_cast<std::int64_t>(i + 1));
      }
    }
    return make_sparse(std::move(values), std::move(numbers), std::move(offsets), 3);
  };
  const std::vector<double> vectors = grid(model.coefficients.rows());
  const std::vector<double> queries = grid(30);
  // No coordinate is 0 at 4096: all rows are stored in full.
  model.support_vectors = moved(vectors, 4096);
  const Matrix<double> expected = libsvm_decision_values(model, moved(queries, 4096), mercer::Run());
  model.support_vectors = moved(vectors, 1073741824);
  const Matrix<double> values = libsvm_decision_values(model, moved(queries, 1073741824), mercer::Run());
  for (Index i = 0; i < 30; ++i) {
    EXPECT_NEAR(values(i, 0), expected(i, 0), 1e-10);
  }
}

// Large enough for single precision; signs must be those of double, values near them.
TEST(LibsvmPrediction, SinglePrecisionNeverTurnsAVote) {
  std::mt19937 random(7);
  for (const LibsvmKernel kernel : {LibsvmKernel::polynomial, LibsvmKernel::rbf, LibsvmKernel::sigmoid}) {
    LibsvmModel model = random_model(random, kernel, 3, 400, 30);
    const Samples samples = random_sparse(random, 20000, 30, 0.7);
    // Offsets at the median: as many values near 0 as can be. One sample's value is the median itself: it comes to lie at
    // 1e-9, which single precision cannot tell from 0, but every order of the sums in double can.
    Matrix<double> first = libsvm_decision_values(model, samples.slice({0, 999}), mercer::Run());
    for (Index m = 0; m < 3; ++m) {
      std::vector<double> column;
      for (Index i = 0; i < first.rows(); ++i) {
        column.push_back(first(i, m));
      }
      std::nth_element(column.begin(), column.begin() + 499, column.end());
      model.rho[m] += column[499] - 1e-9;
    }
    const Matrix<double> exact = libsvm_decision_values(model, samples, mercer::Run(), LibsvmPrecision::double_only);
    const Matrix<double> fast = libsvm_decision_values(model, samples, mercer::Run());
    EXPECT_EQ(libsvm_predictions(model, exact.view()), libsvm_predictions(model, fast.view()));
    bool differs = false;
    for (Index i = 0; i < exact.rows() * exact.columns(); ++i) {
      differs = differs || exact.data()[i] != fast.data()[i];
      ASSERT_NEAR(exact.data()[i], fast.data()[i], 1e-3);
    }
    EXPECT_TRUE(differs);  // otherwise single precision was not used, and this tests nothing
  }
}

TEST(LibsvmPrediction, SameBitsForAnyNumberOfThreads) {
  std::mt19937 random(8);
  const LibsvmModel model = random_model(random, LibsvmKernel::rbf, 4, 300, 30);
  const Samples samples = random_sparse(random, 9000, 30, 0.7);
  const Matrix<double> one = libsvm_decision_values(model, samples, mercer::Run{{.threads = 1}});
  for (const int threads : {2, 3}) {
    const Matrix<double> more = libsvm_decision_values(model, samples, mercer::Run{{.threads = threads}});
    EXPECT_TRUE(testing::same_bits(one, more));
  }
}

TEST(LibsvmPrediction, VotesAndTies) {
  LibsvmModel model;
  model.classes = 3;
  model.labels = {7, 8, 9};
  Matrix<double> decisions(3, 3);
  // Pairs (0,1), (0,2), (1,2): a circle gives every class one vote, 0 is a vote for the second.
  const double rows[3][3] = {{1, -1, 1}, {-1, 1, 1}, {0, 0, 0}};
  for (Index i = 0; i < 3; ++i) {
    std::copy_n(rows[i], 3, decisions.view().row_data(i));
  }
  EXPECT_EQ(libsvm_predictions(model, decisions.view()), (std::vector<double>{7, 8, 9}));
  model.type = LibsvmType::one_class;
  model.classes = 2;
  EXPECT_EQ(libsvm_predictions(model, decisions.view()), (std::vector<double>{1, -1, -1}));
  model.type = LibsvmType::nu_svr;
  EXPECT_EQ(libsvm_predictions(model, decisions.view()), (std::vector<double>{1, -1, 0}));
}

TEST(LibsvmPrediction, PrecomputedRowsAreRead) {
  LibsvmModel model;
  model.kernel = LibsvmKernel::precomputed;
  model.labels = {1, -1};
  model.class_sizes = {1, 2};
  model.rho = {0.5};
  model.coefficients = Matrix<double>(3, 1);
  model.coefficients(0, 0) = 2;
  model.coefficients(1, 0) = -1;
  model.coefficients(2, 0) = -3;
  model.serial_numbers = {4, 1, 2};
  const Samples rows = make_dense(std::vector<double>{77, 10, 20, 30, 40}, 1, 5);
  EXPECT_DOUBLE_EQ(libsvm_decision_values(model, rows, mercer::Run())(0, 0), 2 * 40 - 10 - 3 * 20 - 0.5);
  const Samples few = make_dense(std::vector<double>{77, 10, 20, 30}, 1, 4);
  EXPECT_ERROR(libsvm_decision_values(model, few, mercer::Run()), DataError,
               "rows of a precomputed kernel need the values of 4 training samples");
}

TEST(LibsvmPrediction, PartsThatDoNotFitAreRefused) {
  std::mt19937 random(9);
  LibsvmModel model = random_model(random, LibsvmKernel::rbf, 3, 4, 5);
  const Samples samples = random_sparse(random, 2, 5, 0.5);
  model.rho.pop_back();
  EXPECT_ERROR(libsvm_decision_values(model, samples, mercer::Run()), InvalidArgument,
               "a LIBSVM model with 2 numbers for rho");
  EXPECT_ERROR(libsvm_probabilities(model, Matrix<double>::filled(1, 3, 0.0).view(), mercer::Run()), InvalidArgument,
               "the LIBSVM model has no class probabilities");
}

TEST(LibsvmParameters, InfeasibleNu) {
  LibsvmParameters parameters;
  parameters.type = LibsvmType::nu_svc;
  const std::vector<double> labels = {1, 1, 1, -1};  // at most 2·1/4
  parameters.nu = 0.5;
  EXPECT_EQ(libsvm_parameter_error(parameters, labels), "");
  parameters.nu = 0.51;
  EXPECT_EQ(libsvm_parameter_error(parameters, labels), "specified nu is infeasible");
}

}  // namespace
}  // namespace mercer
