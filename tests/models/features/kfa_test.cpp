#include "mercer/models/features/kfa.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "models/random_problem.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::kernel_matrix;
using testing::random_matrix;
using testing::random_samples;

Samples golden_points() { return make_dense(std::vector<double>{-1, -0.9, 0, 0.2, 1, 1.3}, 6, 1); }

TEST(Kfa, GreedyPathAndRecursion) {
  KfaOptions options;
  options.components = 4;
  const auto model = fit_kfa(parse_kernel("rbf(gamma=2)"), options, {golden_points(), {}});
  EXPECT_EQ(model->parts().center_rows, (std::vector<Index>{0, 2, 5, 4}));
  EXPECT_NEAR(model->parts().values[2], 0.1831637303, 5e-11);
  // f_i(x) = k(x_{j_i}, x) − Σ_{r<i} f_r(x) f_r(x_{j_i})/f_r(x_{j_r}), for new samples.
  const Samples x = random_samples(9, 1, 3);
  const Matrix<double> f = model->predict(x, {});
  const Matrix<double> at_chosen = model->predict(model->parts().expansion.centers(), {});
  const auto k = kernel_matrix(model->kernel(), x, model->parts().expansion.centers());
  for (Index l = 0; l < 9; ++l) {
    for (Index i = 0; i < 4; ++i) {
      double value = k(l, i);
      for (Index r = 0; r < i; ++r) {
        value -= f(l, r) * at_chosen(i, r) / at_chosen(r, r);
      }
      EXPECT_NEAR(f(l, i), value, 1e-11);
    }
  }
}

TEST(Kfa, ResidualIsWhatThePivotsDoNotSpan) {
  for (const SparseFeatureMode mode : {SparseFeatureMode::projection, SparseFeatureMode::normalized}) {
    KfaOptions options;
    options.components = 5;
    options.mode = mode;
    const auto model = fit_kfa(parse_kernel("rbf(gamma=0.3)"), options, {random_samples(30, 2, 5), {}});
    const Samples x = random_samples(7, 2, 6);
    const Samples& z = model->parts().expansion.centers();
    const auto kxz = kernel_matrix(model->kernel(), x, z);
    const auto kzz = kernel_matrix(model->kernel(), z, z);
    const Matrix<double> residual = model->decide(x, {});
    for (Index i = 0; i < 7; ++i) {
      const auto row = kxz.row(i).transpose();
      EXPECT_NEAR(residual(i, 0), 1 - row.dot(kzz.solve_positive(row)), 1e-9);
    }
  }
  KfaOptions removal;
  removal.mode = SparseFeatureMode::removal;
  const auto model = fit_kfa(parse_kernel("sigmoid(gamma=0.1, coef0=1)"), removal, {random_samples(30, 2, 5), {}});
  EXPECT_TRUE(model->decision_names().empty());
  EXPECT_EQ(model->output_names().size(), 10U);
}

// With all directions nothing is left out, and a sample's pre-image is the sample.
TEST(Kfa, AllFeaturesReconstructTheSamples) {
  const Matrix<double> x = random_matrix(12, 2, 7);
  const Samples samples = make_dense(Matrix<double>::copy_of(x.view()));
  KfaOptions options;
  options.components = 12;
  const auto model = fit_kfa(parse_kernel("rbf(gamma=0.8)"), options, {samples, {}});
  ASSERT_TRUE(model->has_reconstruction());
  const Matrix<double> found = model->reconstruct(samples, {});
  for (Index i = 0; i < 12; ++i) {
    EXPECT_NEAR(model->decide(samples, {})(i, 0), 0, 1e-9);
    EXPECT_NEAR(found(i, 0), x(i, 0), 1e-4);
    EXPECT_NEAR(found(i, 1), x(i, 1), 1e-4);
  }
}

TEST(Kfa, StringsAndKernelsThatDependOnAllSamples) {
  std::vector<std::string> texts;
  for (int i = 0; i < 20; ++i) {
    texts.push_back(std::string(static_cast<std::size_t>(1 + i % 4), 'a') +
                    std::string(static_cast<std::size_t>(i / 4), 'b'));
  }
  KfaOptions options;
  options.components = 3;
  const auto categories = fit_kfa(parse_kernel("delta()"), options, {make_categories(texts), {}});
  EXPECT_EQ(categories->output_names().size(), 3U);
  // center(k) needs all of its samples; the features are those of the centred matrix.
  const Samples x = random_samples(25, 2, 8);
  const auto centered = fit_kfa(parse_kernel("center(rbf(gamma=0.4))"), options, {x, {}});
  EXPECT_EQ(centered->parts().expansion.centers().size(), 25);
  const Matrix<double> f = centered->predict(x, {});
  for (Index c = 0; c < 3; ++c) {
    double mean = 0;
    double square = 0;
    for (Index i = 0; i < 25; ++i) {
      mean += f(i, c) / 25;
      square += f(i, c) * f(i, c) / 25;
    }
    EXPECT_NEAR(mean, 0, 1e-10);
    EXPECT_NEAR(square, centered->parts().values[c], 1e-10);
  }
}

TEST(Kfa, WeightsOfZeroLeaveRowsOut) {
  const Samples x = random_samples(20, 2, 9);
  std::vector<double> weights(20, 1.0);
  weights[0] = weights[7] = 0;
  std::vector<Index> kept;
  for (Index i = 0; i < 20; ++i) {
    if (i != 0 && i != 7) {
      kept.push_back(i);
    }
  }
  KfaOptions options;
  options.components = 4;
  const auto a = fit_kfa(parse_kernel("rbf(gamma=scale)"), options, {x, {}, weights});
  const auto b = fit_kfa(parse_kernel("rbf(gamma=scale)"), options, {x.select(kept), {}});
  EXPECT_EQ(a->kernel(), b->kernel());
  EXPECT_EQ(a->parts().values, b->parts().values);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(a->parts().center_rows[i], kept[b->parts().center_rows[i]]);
  }
}

TEST(Kfa, RandomSearchLooksAtFewValues) {
  const Samples x = random_samples(500, 3, 10);
  KfaOptions options;
  options.search = KfaSearch::random;
  options.candidates = 20;
  const auto model = fit_kfa(parse_kernel("rbf(gamma=0.2)"), options, {x, {}});
  EXPECT_EQ(model->report().measures.at(0).value, 10 * 21 * 500);
  EXPECT_EQ(model->parts().residual->scales.size(), 10U);
}

TEST(Kfa, RefusesWhatDoesNotFit) {
  const Samples x = random_samples(10, 2, 11);
  EXPECT_ERROR(fit_kfa(parse_kernel("sigmoid(gamma=0.1, coef0=1)"), {}, {x, {}}), InvalidArgument,
               "kfa: the kernel sigmoid(gamma=0.1, coef0=1) is indefinite");
  EXPECT_ERROR(fit_kfa(parse_kernel("rbf(gamma=1)"), {}, {make_dense(std::vector<double>{1, 1, 1}, 3, 1), {}}),
               DataError, "kfa: no kernel function varies over the samples");
  EXPECT_ERROR(fit_kfa(parse_kernel("rbf(gamma=1)"), {}, {random_samples(0, 2, 1), {}}), DataError,
               "kfa: there are no rows to fit");
  KfaOptions options;
  options.components = 0;
  EXPECT_ERROR(fit_kfa(parse_kernel("rbf(gamma=1)"), options, {x, {}}), InvalidArgument, "kfa: components = 0");
  options = {.norm = 0.5};
  EXPECT_ERROR(fit_kfa(parse_kernel("rbf(gamma=1)"), options, {x, {}}), InvalidArgument, "kfa: norm = 0.5");
  options = {.confidence = 1};
  EXPECT_ERROR(fit_kfa(parse_kernel("rbf(gamma=1)"), options, {x, {}}), InvalidArgument, "kfa: confidence = 1");
}

}  // namespace
}  // namespace mercer
