// The model kpca: features and residuals of new samples against sums written out, every method, weights, kinds of
// samples, and the oil-flow picture.
#include "mercer/models/features/kpca.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "data/number_lines.h"
#include "data/temporary_folder.h"
#include "mercer/base/error.h"
#include "mercer/data/files/input_stream.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/model_state.h"
#include "models/random_problem.h"
#include "models/report_measure.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::Dense;
using testing::kernel_matrix;
using testing::measure;
using testing::number_lines;
using testing::random_matrix;
using testing::random_samples;
using testing::same_bits;

void read_setting(const char* name, const char* value) {
  KpcaOptions options;
  const std::vector<OptionSetting> settings = {{name, value}};
  apply_settings("kpca", kpca_option_table(), settings, options);
}

std::unique_ptr<FeatureModel> fitted_kpca(const char* kernel, const Samples& samples, KpcaOptions options) {
  return fit_kpca(parse_kernel(kernel), options, {samples, {}, {}, {}}, {});
}

// K_t − E K − K_t 1 + E K 1 (Schölkopf & Smola (2002), problem 14.5), written out.
Dense centered_against(const Dense& test, const Dense& train) {
  Dense result = test;
  const Index n = train.rows();
  double all = 0;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      all += train(i, j);
    }
  }
  for (Index t = 0; t < test.rows(); ++t) {
    const double own = test.row(t).sum() / static_cast<double>(n);
    for (Index j = 0; j < n; ++j) {
      result(t, j) += all / static_cast<double>(n * n) - own - train.column(j).sum() / static_cast<double>(n);
    }
  }
  return result;
}

TEST(Kpca, NewSamplesAreCenteredByTheTrainingSamples) {
  const Samples train = random_samples(40, 3, 1);
  const Samples test = random_samples(15, 3, 2);
  const auto model =
      fitted_kpca("rbf(gamma=0.3)", train, {.components = 5, .precision = KpcaPrecision::double_precision});
  const Dense k = kernel_matrix(model->kernel(), train, train);
  const Dense kt = kernel_matrix(model->kernel(), test, train);
  const auto eigen = centered_against(k, k).eigen();
  const Dense scores = model->predict(test, {});
  const Matrix<double> residual = model->decide(test, {});
  for (Index c = 0; c < 5; ++c) {
    const double kappa = eigen.values(39 - c);
    EXPECT_NEAR(model->parts().values[c], kappa / 40, 1e-13);
    const Dense expected = centered_against(kt, k) * eigen.vectors.column(39 - c) / std::sqrt(kappa);
    const double sign = expected.dot(scores.column(c)) < 0 ? -1 : 1;
    EXPECT_LT((scores.column(c) - sign * expected).max_abs(), 1e-10);
  }
  for (Index t = 0; t < 15; ++t) {
    const double length = 1 - 2 * kt.row(t).sum() / 40 + k.sum() / 1600;
    EXPECT_NEAR(residual(t, 0), length - scores.row(t).squared_norm(), 1e-10);
  }
}

TEST(Kpca, TrainingResidualsAreTheVarianceLeftOut) {
  const Samples train = random_samples(50, 2, 3);
  const auto all = fitted_kpca("rbf(gamma=0.5)", train, {.components = 0});
  const auto few = fitted_kpca("rbf(gamma=0.5)", train, {.components = 4});
  double left = 0;
  for (std::size_t c = 4; c < all->parts().values.size(); ++c) {
    left += all->parts().values[c];
  }
  const Dense residual = few->decide(train, {});
  EXPECT_NEAR(residual.mean(), left, 1e-9);
  EXPECT_GE(residual.min(), 0);
  EXPECT_NEAR(measure(*few, "explained variance ratio"), 1 - left / measure(*few, "total variance"), 1e-9);
  // What is far from all samples is more of a novelty than they are.
  Matrix<double> far = Matrix<double>::filled(1, 2, 30.0);
  EXPECT_GT(few->decide(make_dense(std::move(far)), {})(0, 0), residual.max());
}

TEST(Kpca, WhitenedFeaturesHaveUnitVariance) {
  const Samples train = random_samples(60, 3, 4);
  const auto plain =
      fitted_kpca("rbf(gamma=0.3)", train, {.components = 4, .precision = KpcaPrecision::double_precision});
  const auto white = fitted_kpca("rbf(gamma=0.3)", train,
                                 {.components = 4, .whiten = true, .precision = KpcaPrecision::double_precision});
  const Dense a = plain->predict(train, {});
  const Dense b = white->predict(train, {});
  for (Index c = 0; c < 4; ++c) {
    EXPECT_NEAR(b.column(c).squared_norm() / 60, 1, 1e-9);
    EXPECT_LT((a.column(c) - std::sqrt(plain->parts().values[c]) * b.column(c)).max_abs(), 1e-10);
  }
  const Dense difference = Dense(plain->decide(train, {})) - Dense(white->decide(train, {}));
  EXPECT_LT(difference.max_abs(), 1e-10);
}

TEST(Kpca, EveryMethodFindsTheSameFeatures) {
  Matrix<double> x = random_matrix(150, 3, 5);
  for (Index i = 0; i < 150; ++i) {
    x(i, 1) *= 0.6;
    x(i, 2) *= 0.3;
  }
  const Samples train = make_dense(std::move(x));
  const Samples test = random_samples(20, 3, 6);
  for (const bool center : {true, false}) {
    const auto exact =
        fitted_kpca("rbf(gamma=0.3)", train, {.components = 3, .center = center, .method = KpcaMethod::exact});
    const Dense wanted = exact->predict(test, {});
    const Dense residual = exact->decide(test, {});
    struct Case {
      KpcaMethod method;
      double error;
    };
    for (const auto& [method, error] :
         {Case{KpcaMethod::leading, 5e-3}, Case{KpcaMethod::pivoted, 1e-4}, Case{KpcaMethod::hebbian, 5e-2}}) {
      const auto model = fitted_kpca("rbf(gamma=0.3)", train,
                                     {.components = 3, .center = center, .method = method, .rank = 150, .epochs = 400});
      const Dense found = model->predict(test, {});
      for (Index c = 0; c < 3; ++c) {
        const double sign = wanted.column(c).dot(found.column(c)) < 0 ? -1 : 1;
        EXPECT_LT((wanted.column(c) - sign * found.column(c)).max_abs(), error) << word_of(method) << " " << c;
      }
      EXPECT_LT((residual - Dense(model->decide(test, {}))).max_abs(), error) << word_of(method);
      EXPECT_NEAR(measure(*model, "total variance"), measure(*exact, "total variance"), 1e-5) << word_of(method);
    }
  }
}

TEST(Kpca, ResidualsOfFewPivotsAreDistancesToTheirSpan) {
  const Samples train = random_samples(80, 2, 7);
  const Samples test = random_samples(12, 2, 8);
  const auto model = fitted_kpca("rbf(gamma=0.5)", train, {.components = 4, .method = KpcaMethod::pivoted, .rank = 8});
  const FeatureModel::Parts& parts = model->parts();
  ASSERT_EQ(parts.center_rows.size(), 9U);
  // The foot of the perpendicular is an expansion in the centres; its distance is written out.
  const Dense kz = kernel_matrix(model->kernel(), parts.expansion.centers(), parts.expansion.centers());
  const Dense kt = kernel_matrix(model->kernel(), test, parts.expansion.centers());
  const Dense features = model->predict(test, {});
  const Dense residual = model->decide(test, {});
  const Dense alpha(parts.expansion.coefficients());
  EXPECT_LT((alpha.transpose() * kz * alpha - Dense::identity(4)).max_abs(), 1e-9);
  for (Index t = 0; t < 12; ++t) {
    const Dense weights = Dense(parts.residual->mean_weights) + alpha * features.row(t).transpose();
    const double distance = 1 - 2 * (kt.row(t) * weights)(0) + (weights.transpose() * kz * weights)(0);
    EXPECT_NEAR(residual(t), distance, 1e-6);
  }
}

TEST(Kpca, WeightsAreRepetitionsAndZeroLeavesOut) {
  const Matrix<double> x = random_matrix(20, 2, 9);
  std::vector<double> weights(20, 1.0);
  weights[3] = 3;
  weights[7] = 0;
  Matrix<double> many(21, 2);
  Index at = 0;
  for (Index i = 0; i < 20; ++i) {
    for (int w = 0; w < static_cast<int>(weights[i]); ++w, ++at) {
      many(at, 0) = x(i, 0);
      many(at, 1) = x(i, 1);
    }
  }
  const Samples test = random_samples(10, 2, 10);
  const KpcaOptions options{.components = 3, .precision = KpcaPrecision::double_precision};
  const auto weighted = fit_kpca(parse_kernel("rbf(gamma=1)"), options,
                                 {make_dense(Matrix<double>::copy_of(x.view())), {}, weights, {}}, {});
  const auto plain = fitted_kpca("rbf(gamma=1)", make_dense(std::move(many)), options);
  const Dense a = weighted->predict(test, {});
  const Dense b = plain->predict(test, {});
  for (Index c = 0; c < 3; ++c) {
    const double sign = a.column(c).dot(b.column(c)) < 0 ? -1 : 1;
    EXPECT_LT((a.column(c) - sign * b.column(c)).max_abs(), 1e-9);
  }
  EXPECT_LT((Dense(weighted->decide(test, {})) - Dense(plain->decide(test, {}))).max_abs(), 1e-9);
  EXPECT_EQ(weighted->parts().center_rows.size(), 19U);
  EXPECT_EQ(weighted->parts().center_rows[7], 8);
}

TEST(Kpca, SparseSamplesGiveWhatDenseOnesDo) {
  const Samples sparse = testing::random_sparse(40, 8, 0.3, 11);
  const Samples dense = to_dense<double>(sparse);
  const auto a = fitted_kpca("rbf(gamma=0.2)", sparse, {.components = 3});
  const auto b = fitted_kpca("rbf(gamma=0.2)", dense, {.components = 3});
  EXPECT_LT((Dense(a->predict(sparse, {})) - Dense(b->predict(dense, {}))).max_abs(), 1e-5);
}

TEST(Kpca, SamplesNeedNotBeNumbers) {
  const Samples words = make_categories(std::vector<std::string>{"a", "b", "a", "c", "b", "a", "d"});
  const auto model = fitted_kpca("delta()", words, {.components = 0});
  // Four kinds, centred: three directions; equal samples have equal features.
  ASSERT_EQ(model->parts().values.size(), 3U);
  EXPECT_FALSE(model->has_reconstruction());
  const Dense features = model->predict(words, {});
  EXPECT_LT((features.row(0) - features.row(2)).max_abs(), 1e-6);
  EXPECT_GT((features.row(0) - features.row(1)).norm(), 1.0);
}

TEST(Kpca, ClassicalScalingIsKpcaOfAConditionalMatrix) {
  const Matrix<double> x = random_matrix(12, 2, 12);
  Matrix<double> half(12, 12);
  for (Index i = 0; i < 12; ++i) {
    for (Index j = 0; j < 12; ++j) {
      half(i, j) = -(std::pow(x(i, 0) - x(j, 0), 2) + std::pow(x(i, 1) - x(j, 1), 2)) / 2;
    }
  }
  const Samples rows = make_dense(Matrix<double>::copy_of(half.view()));
  const auto model = fitted_kpca("precomputed(definiteness=conditional)", rows,
                                 {.components = 0, .precision = KpcaPrecision::double_precision});
  ASSERT_EQ(model->parts().values.size(), 2U);
  const Dense points = model->predict(rows, {});
  for (Index i = 0; i < 12; ++i) {
    for (Index j = 0; j < 12; ++j) {
      EXPECT_NEAR((points.row(i) - points.row(j)).squared_norm(), -2 * half(i, j), 1e-10);
    }
  }
}

TEST(Kpca, IndefiniteKernelsLoseTheirNegativePartAndSaySo) {
  const auto model = fitted_kpca("sigmoid(gamma=1, coef0=-1)", random_samples(30, 2, 13), {.components = 0});
  EXPECT_TRUE(model->decision_names().empty());
  EXPECT_ERROR(model->decide(random_samples(1, 2, 1), {}), InvalidArgument, "kpca has no decision values");
  bool said = false;
  for (const std::string& note : model->report().notes) {
    said = said || note.find("negative eigenvalues") != std::string::npos;
  }
  EXPECT_TRUE(said);
  for (const double value : model->parts().values) {
    EXPECT_GT(value, 0);
  }
}

TEST(Kpca, RefusesWhatHasNoMeaning) {
  const Samples x = random_samples(10, 2, 14);
  EXPECT_ERROR(fitted_kpca("negative_distance()", x, {.center = false}), InvalidArgument,
               "kpca: negative_distance(beta=1) is conditionally positive definite of order");
  EXPECT_ERROR(fitted_kpca("sigmoid(gamma=1, coef0=-1)", x, {.method = KpcaMethod::pivoted}), InvalidArgument,
               "kpca: method=pivoted needs a positive kernel");
  EXPECT_ERROR(fitted_kpca("rbf(gamma=1)", x, {.components = 0, .method = KpcaMethod::leading}), InvalidArgument,
               "kpca: method=leading finds as many components as asked for");
  EXPECT_ERROR(fitted_kpca("rbf(gamma=1)", x, {.components = -1}), InvalidArgument, "kpca: components = -1");
  EXPECT_ERROR(fitted_kpca("rbf(gamma=1)", x, {.tolerance = 1}), InvalidArgument, "kpca: tolerance = 1");
  EXPECT_ERROR(fitted_kpca("rbf(gamma=1)", x, {.epochs = 0}), InvalidArgument, "kpca: epochs = 0");
  EXPECT_ERROR(read_setting("method", "magic"), InvalidArgument, "kpca: method = magic");
  EXPECT_ERROR(read_setting("precision", "half"), InvalidArgument, "kpca: precision = half");
  EXPECT_ERROR(fitted_kpca("rbf(gamma=1)", x, {.method = KpcaMethod::exact, .memory_mb = 1e-3}), InvalidArgument,
               "kpca: method=exact on 10 rows exceeds memory_mb");
  EXPECT_ERROR(fitted_kpca("rbf(gamma=1)", Samples(), {}), DataError, "kpca: there are no rows to fit");
  Matrix<double> bad = Matrix<double>::filled(4, 2, 0.0);
  bad(2, 1) = std::nan("");
  EXPECT_ERROR(fitted_kpca("rbf(gamma=1)", make_dense(std::move(bad)), {}), DataError, "row 2, column 1 is NaN");
}

TEST(Kpca, EqualSamplesHaveNoComponents) {
  const Samples equal = make_dense(Matrix<double>::filled(5, 2, 1.0));
  const auto model = fitted_kpca("rbf(gamma=1)", equal, {});
  EXPECT_TRUE(model->parts().values.empty());
  EXPECT_EQ(model->predict(random_samples(3, 2, 15), {}).columns(), 0);
  EXPECT_NEAR(model->decide(equal, {})(0, 0), 0, 1e-12);
  const auto again = kpca_entry().load(state_of(*model), {});
  EXPECT_EQ(again->output_names().size(), 0U);
}

// ---- Real data ------------------------------------------------------------------------------------------------------

// Rows of the training set that are the 100-point subset of the literature.
constexpr Index oil_subset[] = {807, 871, 646, 178, 643, 593, 553, 537, 495, 958, 367, 432, 631, 700, 857, 955, 744,
                                221, 885, 269, 19,  378, 899, 340, 364, 139, 357, 351, 949, 417, 254, 110, 960, 849,
                                332, 642, 621, 344, 189, 482, 662, 620, 966, 483, 244, 809, 701, 421, 339, 788, 24,
                                113, 4,   851, 973, 691, 721, 514, 325, 852, 908, 127, 868, 769, 602, 326, 526, 704,
                                20,  433, 914, 979, 400, 664, 152, 361, 533, 722, 734, 414, 391, 735, 515, 640, 627,
                                779, 637, 595, 663, 929, 376, 133, 266, 903, 377, 598, 980, 70,  265, 406};

// How many rows have a nearest other row of another class.
int nearest_neighbor_errors(const Matrix<double>& points, const std::vector<int>& labels) {
  int errors = 0;
  for (Index i = 0; i < points.rows(); ++i) {
    Index nearest = -1;
    double best = 1e300;
    for (Index j = 0; j < points.rows(); ++j) {
      double distance = 0;
      for (Index c = 0; c < points.columns(); ++c) {
        distance += std::pow(points(i, c) - points(j, c), 2);
      }
      if (j != i && distance < best) {
        best = distance;
        nearest = j;
      }
    }
    errors += labels[nearest] != labels[i] ? 1 : 0;
  }
  return errors;
}

TEST(KpcaRealData, OilFlowIsAPictureOfThreePhases) {
  const std::string path = real_data("oil-flow/DataTrn.txt.gz");
  if (path.empty()) {
    GTEST_SKIP() << "oil-flow is not there";
  }
  const auto all = number_lines(path);
  const auto codes = number_lines(real_data("oil-flow/DataTrnLbls.txt.gz"));
  Matrix<double> centered(100, 12);
  std::vector<int> labels;
  for (Index i = 0; i < 100; ++i) {
    const auto row = static_cast<std::size_t>(oil_subset[i]);
    std::copy_n(all[row].data(), 12, centered.view().row_data(i));
    labels.push_back(codes[row][0] > 0.5 ? 0 : codes[row][1] > 0.5 ? 1 : 2);
  }
  Matrix<double> standard(100, 12);
  for (Index j = 0; j < 12; ++j) {
    const Dense column = Dense(centered.view()).column(j);
    const double deviation = std::sqrt(column.shifted(-column.mean()).squared_norm() / 100);
    for (Index i = 0; i < 100; ++i) {
      centered(i, j) -= column.mean();
      standard(i, j) = centered(i, j) / deviation;
    }
  }
  const Samples raw = make_dense(std::move(centered));
  EXPECT_EQ(nearest_neighbor_errors(fitted_kpca("linear()", raw, {.components = 2})->predict(raw, {}), labels), 20);
  const Samples scaled = make_dense(std::move(standard));
  int best = 100;
  for (int step = 0; step <= 30; ++step) {
    const std::string kernel = "rbf(gamma=" + std::to_string(0.15 + 0.005 * step) + ")";
    best = std::min(best, nearest_neighbor_errors(
                              fitted_kpca(kernel.c_str(), scaled, {.components = 2})->predict(scaled, {}), labels));
  }
  EXPECT_LE(best, 13);
  RecordProperty("errors", best);
}

}  // namespace
}  // namespace mercer
