#include "mercer/solvers/online/kernel_perceptron.h"

#include <gtest/gtest.h>

#include "mercer/base/error.h"
#include "solvers/clustering_oracle.h"
#include "support/expect_error.h"
#include "support/same_bits.h"

namespace mercer {
namespace {

using testing::cloud_points;
using testing::linear_matrix;
using testing::rbf_matrix;

struct LabeledPoints {
  Matrix<double> x;
  std::vector<std::int32_t> labels;
};

LabeledPoints labeled_clouds(Index rows, int classes, double radius, std::uint64_t seed) {
  LabeledPoints result{cloud_points(rows, classes, radius, seed), {}};
  for (Index i = 0; i < rows; ++i) {
    result.labels.push_back(static_cast<std::int32_t>(i % classes));
  }
  return result;
}

RowCacheGram<double> cached(Matrix<double> k) {
  return RowCacheGram<double>(std::make_shared<const DenseGram<double>>(std::move(k)), 64);
}

// f_o(x_i) of coefficients, with the offset R² Σ α.
Matrix<double> values_of(const Matrix<double>& k, const Matrix<double>& coefficients, double offset_scale) {
  Matrix<double> f = Matrix<double>::filled(k.rows(), coefficients.columns(), 0.0);
  for (Index i = 0; i < k.rows(); ++i) {
    for (Index j = 0; j < k.rows(); ++j) {
      for (Index o = 0; o < f.columns(); ++o) {
        f(i, o) += coefficients(j, o) * (k(i, j) + offset_scale);
      }
    }
  }
  return f;
}

double largest_square(const Matrix<double>& x) {
  double largest = 0;
  for (Index i = 0; i < x.rows(); ++i) {
    largest = std::max(largest, x(i, 0) * x(i, 0) + x(i, 1) * x(i, 1));
  }
  return largest;
}

// The perceptron on points: w += y x, b += y R², in the order of the rows. All (w, b) after every sample.
std::vector<std::array<double, 3>> primal_walk(const LabeledPoints& data, Index epochs, double radius_squared) {
  std::vector<std::array<double, 3>> states;
  std::array<double, 3> w{0, 0, 0};
  for (Index epoch = 0; epoch < epochs; ++epoch) {
    bool clean = true;
    for (Index i = 0; i < data.x.rows(); ++i) {
      const double y = data.labels[i] == 1 ? 1 : -1;
      if (y * (w[0] * data.x(i, 0) + w[1] * data.x(i, 1) + w[2]) <= 0) {
        w[0] += y * data.x(i, 0);
        w[1] += y * data.x(i, 1);
        w[2] += y * radius_squared;
        clean = false;
      }
      states.push_back(w);
    }
    if (clean) {
      break;
    }
  }
  return states;
}

TEST(KernelPerceptron, LinearKernelIsThePerceptronOnPoints) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    for (const bool offset : {false, true}) {
      const LabeledPoints data = labeled_clouds(80, 2, 1.5, seed);
      const double scale = offset ? largest_square(data.x) : 0.0;
      const auto states = primal_walk(data, 7, scale);
      RowCacheGram<double> gram = cached(linear_matrix(data.x));
      const auto solution = kernel_perceptron(gram, data.labels, 2,
                                              {.max_epochs = 7,
                                               .offset = offset ? PerceptronOffset::radius : PerceptronOffset::none,
                                               .order = PerceptronOrder::given},
                                              {});
      EXPECT_EQ(solution.samples_seen, static_cast<Index>(states.size()));
      EXPECT_NEAR(solution.offset_scale, scale, 1e-12 * scale);
      std::array<double, 3> last{0, 0, 0};
      std::array<double, 3> average{0, 0, 0};
      std::array<double, 3> mean{0, 0, 0};
      for (Index i = 0; i < 80; ++i) {
        const std::array<double, 3> row = {data.x(i, 0), data.x(i, 1), scale};
        for (std::size_t c = 0; c < 3; ++c) {
          last[c] += solution.coefficients(i, 0) * row[c];
          average[c] += solution.averages(i, 0) * row[c];
        }
      }
      for (const auto& state : states) {
        for (std::size_t c = 0; c < 3; ++c) {
          mean[c] += state[c] / static_cast<double>(states.size());
        }
      }
      for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_NEAR(last[c], states.back()[c], 1e-10);
        EXPECT_NEAR(average[c], mean[c], 1e-10);
      }
    }
  }
}

// y (wᵀx) ≥ gap for a w of norm 1: Novikoff allows (R/γ)² mistakes.
TEST(KernelPerceptron, MistakesStayBelowNovikoffsBound) {
  for (const double gap : {0.05, 0.2, 0.5}) {
    RandomStream random(static_cast<std::uint64_t>(100 * gap));
    LabeledPoints data{Matrix<double>(200, 2), {}};
    for (Index i = 0; i < 200; ++i) {
      const bool positive = random.uniform() < 0.5;
      const double along = (positive ? 1 : -1) * (gap + random.uniform());
      const double across = 2 * random.uniform() - 1;
      data.x(i, 0) = 0.6 * along - 0.8 * across;
      data.x(i, 1) = 0.8 * along + 0.6 * across;
      data.labels.push_back(positive ? 1 : 0);
    }
    RowCacheGram<double> gram = cached(linear_matrix(data.x));
    const auto solution =
        kernel_perceptron(gram, data.labels, 2, {.max_epochs = 100000, .offset = PerceptronOffset::none}, {});
    EXPECT_EQ(solution.status, SolveStatus::converged);
    EXPECT_EQ(solution.last_mistakes, 0);
    EXPECT_GT(solution.mistakes, 0);
    EXPECT_LE(static_cast<double>(solution.mistakes), largest_square(data.x) / (gap * gap));
    const Matrix<double> f = values_of(linear_matrix(data.x), solution.coefficients, 0);
    for (Index i = 0; i < 200; ++i) {
      EXPECT_GT(f(i, 0) * (data.labels[i] == 1 ? 1 : -1), 0);
    }
  }
}

// As r approaches the largest margin, so does the margin of the solution. Points whose widest gap is known: y x₀ ≥ ½
// with points on it at both sides.
TEST(KernelPerceptron, MarginsApproachTheLargest) {
  LabeledPoints data{Matrix<double>(40, 2), {}};
  RandomStream random(5);
  for (Index i = 0; i < 40; ++i) {
    const double side = i % 2 == 0 ? 1 : -1;
    data.x(i, 0) = side * (i < 8 ? 0.5 : 0.5 + random.uniform());
    data.x(i, 1) = 4 * random.uniform() - 2;
    data.labels.push_back(i % 2 == 0 ? 1 : 0);
  }
  data.x(0, 1) = 2, data.x(2, 1) = -2, data.x(1, 1) = 2, data.x(3, 1) = -2;
  double before = 0;
  for (const double r : {0.0, 0.3, 0.45, 0.49}) {
    RowCacheGram<double> gram = cached(linear_matrix(data.x));
    const auto solution = kernel_perceptron(gram, data.labels, 2,
                                            {.max_epochs = 100000, .margin = r, .offset = PerceptronOffset::none}, {});
    ASSERT_EQ(solution.status, SolveStatus::converged) << r;
    double w0 = 0;
    double w1 = 0;
    for (Index i = 0; i < 40; ++i) {
      w0 += solution.coefficients(i, 0) * data.x(i, 0);
      w1 += solution.coefficients(i, 0) * data.x(i, 1);
    }
    double margin = std::numeric_limits<double>::infinity();
    for (Index i = 0; i < 40; ++i) {
      margin = std::min(margin, (i % 2 == 0 ? 1 : -1) * (w0 * data.x(i, 0) + w1 * data.x(i, 1)) / std::hypot(w0, w1));
    }
    EXPECT_GT(margin, r);
    EXPECT_LE(margin, 0.5 + 1e-12);
    EXPECT_GE(margin, before * 0.9);
    before = margin;
  }
}

// The joint update on points: the right class gains the sample, the class that won loses it.
TEST(KernelPerceptron, JointUpdatesAreThoseOnPoints) {
  const LabeledPoints data = labeled_clouds(90, 3, 1.2, 6);
  Matrix<double> w = Matrix<double>::filled(3, 2, 0.0);
  Index mistakes = 0;
  for (int epoch = 0; epoch < 4; ++epoch) {
    for (Index i = 0; i < 90; ++i) {
      const Index right = data.labels[i];
      const auto score = [&](Index c) { return w(c, 0) * data.x(i, 0) + w(c, 1) * data.x(i, 1); };
      Index rival = right == 0 ? 1 : 0;
      for (Index c = 0; c < 3; ++c) {
        rival = c != right && score(c) > score(rival) ? c : rival;
      }
      if (score(right) <= score(rival)) {
        ++mistakes;
        for (Index j = 0; j < 2; ++j) {
          w(right, j) += data.x(i, j);
          w(rival, j) -= data.x(i, j);
        }
      }
    }
  }
  RowCacheGram<double> gram = cached(linear_matrix(data.x));
  const auto solution = kernel_perceptron(gram, data.labels, 3,
                                          {.max_epochs = 4,
                                           .offset = PerceptronOffset::none,
                                           .classes = PerceptronClasses::joint,
                                           .order = PerceptronOrder::given},
                                          {});
  EXPECT_EQ(solution.mistakes, mistakes);
  for (Index c = 0; c < 3; ++c) {
    for (Index j = 0; j < 2; ++j) {
      double sum = 0;
      for (Index i = 0; i < 90; ++i) {
        sum += solution.coefficients(i, c) * data.x(i, j);
      }
      EXPECT_NEAR(sum, w(c, j), 1e-10);
    }
  }
}

TEST(KernelPerceptron, OneAgainstTheRestIsOnePerceptronPerClass) {
  const LabeledPoints data = labeled_clouds(90, 3, 1.2, 7);
  const Matrix<double> k = rbf_matrix(data.x, 0.5);
  RowCacheGram<double> gram = cached(Matrix<double>::copy_of(k.view()));
  const KernelPerceptronOptions options{.max_epochs = 3, .order = PerceptronOrder::given};
  const auto solution = kernel_perceptron(gram, data.labels, 3, options, {});
  for (Index c = 0; c < 3; ++c) {
    std::vector<std::int32_t> own;
    for (const std::int32_t label : data.labels) {
      own.push_back(label == c ? 1 : 0);
    }
    RowCacheGram<double> again = cached(Matrix<double>::copy_of(k.view()));
    const auto single = kernel_perceptron(again, own, 2, options, {});
    for (Index i = 0; i < 90; ++i) {
      EXPECT_EQ(solution.coefficients(i, c), single.coefficients(i, 0));
    }
  }
}

// Where the budget spans the whole feature space, projecting changes nothing: 2 inputs and an offset have 3 dimensions.
TEST(KernelPerceptron, ProjectionOntoTheWholeSpaceChangesNothing) {
  const LabeledPoints data = labeled_clouds(100, 2, 1.5, 8);
  const Matrix<double> k = linear_matrix(data.x);
  KernelPerceptronOptions options{.max_epochs = 5};
  RowCacheGram<double> one = cached(Matrix<double>::copy_of(k.view()));
  const auto free = kernel_perceptron(one, data.labels, 2, options, {});
  for (const Index budget : {3, 10}) {
    options.budget = budget;
    RowCacheGram<double> two = cached(Matrix<double>::copy_of(k.view()));
    const auto bounded = kernel_perceptron(two, data.labels, 2, options, {});
    EXPECT_EQ(bounded.mistakes, free.mistakes);
    const Matrix<double> expected = values_of(k, free.coefficients, free.offset_scale);
    const Matrix<double> f = values_of(k, bounded.coefficients, bounded.offset_scale);
    Index members = 0;
    for (Index i = 0; i < 100; ++i) {
      EXPECT_NEAR(f(i, 0), expected(i, 0), 1e-7 * (1 + std::abs(expected(i, 0))));
      members += bounded.coefficients(i, 0) != 0 ? 1 : 0;
    }
    EXPECT_EQ(members, 3);
  }
}

// The projection of k(x, ·) on the span of two others, by hand.
TEST(KernelPerceptron, ProjectionsSolveTheNormalEquations) {
  const LabeledPoints data = labeled_clouds(3, 2, 0.2, 9);
  const Matrix<double> k = rbf_matrix(data.x, 0.5);
  RowCacheGram<double> gram = cached(Matrix<double>::copy_of(k.view()));
  // Labels so that each of three samples is a mistake when it is met first, in the order of the rows.
  std::vector<std::int32_t> labels = {1, 0, 1};
  const auto solution = kernel_perceptron(
      gram, labels, 2,
      {.max_epochs = 1, .offset = PerceptronOffset::none, .order = PerceptronOrder::given, .budget = 2}, {});
  ASSERT_EQ(solution.mistakes, 3);
  const double determinant = k(0, 0) * k(1, 1) - k(0, 1) * k(0, 1);
  const double d0 = (k(1, 1) * k(0, 2) - k(0, 1) * k(1, 2)) / determinant;
  const double d1 = (k(0, 0) * k(1, 2) - k(0, 1) * k(0, 2)) / determinant;
  EXPECT_NEAR(solution.coefficients(0, 0), 1 + d0, 1e-12);
  EXPECT_NEAR(solution.coefficients(1, 0), -1 + d1, 1e-12);
  EXPECT_EQ(solution.coefficients(2, 0), 0);
}

// The walk with terms dropped, in the dual by hand.
TEST(KernelPerceptron, BudgetsDropTheOldestOrTheSmallestTerm) {
  const LabeledPoints data = labeled_clouds(60, 2, 0.5, 10);
  const Matrix<double> k = rbf_matrix(data.x, 1.0);
  for (const BudgetPolicy policy : {BudgetPolicy::oldest, BudgetPolicy::smallest}) {
    std::vector<double> alpha(60, 0.0);
    std::vector<Index> members;
    for (int epoch = 0; epoch < 3; ++epoch) {
      for (Index i = 0; i < 60; ++i) {
        double f = 0;
        for (const Index m : members) {
          f += alpha[m] * (k(m, i) + 1);
        }
        const double y = i % 2 == 1 ? 1 : -1;
        if (y * f > 0) {
          continue;
        }
        const bool joins = std::find(members.begin(), members.end(), i) == members.end();
        if (joins && members.size() == 8) {
          auto leaving = members.begin();
          if (policy == BudgetPolicy::smallest) {
            leaving = std::min_element(members.begin(), members.end(),
                                       [&](Index a, Index b) { return std::abs(alpha[a]) < std::abs(alpha[b]); });
          }
          alpha[*leaving] = 0;
          members.erase(leaving);
        }
        if (joins) {
          members.push_back(i);
        }
        alpha[i] += y;
      }
    }
    RowCacheGram<double> gram = cached(Matrix<double>::copy_of(k.view()));
    const auto solution = kernel_perceptron(
        gram, data.labels, 2, {.max_epochs = 3, .order = PerceptronOrder::given, .budget = 8, .policy = policy}, {});
    for (Index i = 0; i < 60; ++i) {
      EXPECT_EQ(solution.coefficients(i, 0), alpha[i]) << i;
    }
  }
}

TEST(KernelPerceptron, HistoryAddsUpToTheCoefficients) {
  const LabeledPoints data = labeled_clouds(90, 3, 1.0, 11);
  RowCacheGram<double> gram = cached(rbf_matrix(data.x, 0.5));
  const auto solution =
      kernel_perceptron(gram, data.labels, 3, {.max_epochs = 4, .history = PerceptronHistory::keep}, {});
  Matrix<double> sums = Matrix<double>::filled(90, 3, 0.0);
  Index before = 1;
  for (const PerceptronStep& step : solution.steps) {
    EXPECT_GE(step.time, before);
    before = step.time;
    sums(step.row, step.output) += step.change;
  }
  EXPECT_LE(before, solution.samples_seen);
  for (Index i = 0; i < 90; ++i) {
    for (Index o = 0; o < 3; ++o) {
      EXPECT_EQ(sums(i, o), solution.coefficients(i, o));
    }
  }
}

TEST(KernelPerceptron, SaysWhenItWasNotClean) {
  // The same point with both labels.
  LabeledPoints data{Matrix<double>::filled(2, 2, 1.0), {0, 1}};
  RowCacheGram<double> gram = cached(linear_matrix(data.x));
  const auto solution = kernel_perceptron(gram, data.labels, 2, {.max_epochs = 9}, {});
  EXPECT_EQ(solution.status, SolveStatus::iteration_limit);
  EXPECT_EQ(solution.epochs, 9);
  EXPECT_GT(solution.last_mistakes, 0);
}

TEST(KernelPerceptron, AnyNumberOfThreadsGivesTheSameBits) {
  const LabeledPoints data = labeled_clouds(500, 3, 1.0, 12);
  const auto solve = [&](int threads, Index budget) {
    RowCacheGram<double> gram = cached(rbf_matrix(data.x, 0.5));
    return kernel_perceptron(gram, data.labels, 3, {.max_epochs = 3, .budget = budget},
                             mercer::Run{{.threads = threads, .seed = 3}});
  };
  for (const Index budget : {0, 20}) {
    const auto one = solve(1, budget);
    const auto three = solve(3, budget);
    EXPECT_TRUE(testing::same_bits(one.averages, three.averages));
  }
}

TEST(KernelPerceptron, RefusesWhatMakesNoSense) {
  const LabeledPoints data = labeled_clouds(6, 2, 1.0, 13);
  RowCacheGram<double> gram = cached(linear_matrix(data.x));
  EXPECT_ERROR(kernel_perceptron(gram, data.labels, 1, {}, {}), InvalidArgument, "6 labels of 1 classes for 6 samples");
  EXPECT_ERROR(kernel_perceptron(gram, {data.labels.data(), 5}, 2, {}, {}), InvalidArgument,
               "5 labels of 2 classes for 6 samples");
  EXPECT_ERROR(kernel_perceptron(gram, std::vector<std::int32_t>(6, 2), 2, {}, {}), InvalidArgument,
               "a label that is not a class number from 0 to 1");
  EXPECT_ERROR(kernel_perceptron(gram, data.labels, 2, {.max_epochs = 0}, {}), InvalidArgument, "epochs = 0");
  EXPECT_ERROR(kernel_perceptron(gram, data.labels, 2, {.margin = -1}, {}), InvalidArgument, "margin = -1");
  EXPECT_ERROR(kernel_perceptron(gram, data.labels, 2, {.budget = -1}, {}), InvalidArgument, "budget = -1");
}

}  // namespace
}  // namespace mercer
