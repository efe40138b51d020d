// What every model of features shares: its parts must fit together, its state must be whole, its reconstructions are
// pre-images of its projections.
#include "mercer/models/features/feature_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/features/kpca.h"
#include "models/random_problem.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::Dense;
using testing::random_matrix;
using testing::random_samples;
using testing::same_bits;

FeatureModel::Parts some_parts() {
  return {.name = "kpca",
          .requested_kernel = "rbf(gamma=1)",
          .settings = {},
          .expansion = Expansion(parse_kernel("rbf(gamma=1)"), random_samples(4, 2, 1), random_matrix(4, 3, 2),
                                 ParametricPart::constant, random_matrix(1, 3, 3), Precision::double_precision, {}),
          .value = ComponentValue::variance,
          .values = {3, 2, 1},
          .centre_rows = {0, 1, 2, 3},
          .residual = FeatureResidual{{1, 1, 2}, {0.25, 0.25, 0.25, 0.25}, 0.5},
          .report = {}};
}

TEST(FeatureModel, PartsMustFitTogether) {
  EXPECT_NO_THROW(FeatureModel{some_parts()});
  const auto refused = [](auto change, const char* words) {
    FeatureModel::Parts parts = some_parts();
    change(parts);
    EXPECT_ERROR(FeatureModel{std::move(parts)}, InvalidArgument, words);
  };
  refused([](auto& p) { p.values.pop_back(); }, "a feature model with 2 values of components where 3 are needed");
  refused([](auto& p) { p.values[0] = std::nan(""); }, "a feature model whose values of components are not all finite");
  refused([](auto& p) { p.centre_rows.pop_back(); }, "a feature model with 3 rows of centres where 4 are needed");
  refused([](auto& p) { p.residual->scales.pop_back(); }, "a feature model with 2 scales where 3 are needed");
  refused([](auto& p) { p.residual->scales[1] = 0; }, "a feature model with a scale that is not above 0");
  refused([](auto& p) { p.residual->mean_weights.pop_back(); },
          "a feature model with 3 weights of the mean where 4 are needed");
  refused([](auto& p) { p.residual->mean_norm = std::nan(""); }, "a feature model whose mean has no finite norm");
  refused([](auto& p) { p.residual->mean_weights.clear(); }, "a feature model whose mean has no finite norm");
  FeatureModel::Parts elsewhere = some_parts();
  elsewhere.centre_rows.clear();
  EXPECT_NO_THROW(FeatureModel{std::move(elsewhere)});
}

TEST(FeatureModel, StatesComeBackWhole) {
  const Samples x = random_samples(9, 2, 4);
  for (const int kind : {0, 1, 2}) {
    FeatureModel::Parts parts = some_parts();
    if (kind == 0) {
      parts.residual.reset();
    } else if (kind == 1) {
      parts.residual->mean_weights.clear();
      parts.residual->mean_norm = 0;
    }
    const FeatureModel model(std::move(parts));
    const auto again = FeatureModel::from_state(model.state(), {});
    EXPECT_EQ(again->parts().values, model.parts().values);
    EXPECT_EQ(again->parts().value, ComponentValue::variance);
    EXPECT_EQ(again->parts().centre_rows, model.parts().centre_rows);
    EXPECT_EQ(again->decision_names(), model.decision_names());
    EXPECT_EQ(again->output_names(), (std::vector<std::string>{"component1", "component2", "component3"}));
    EXPECT_TRUE(same_bits(again->predict(x, {}), model.predict(x, {})));
    if (kind > 0) {
      EXPECT_TRUE(same_bits(again->decide(x, {}), model.decide(x, {})));
    }
  }
}

TEST(FeatureModel, BrokenStatesAreRefused) {
  const FeatureModel model(some_parts());
  for (const auto& [name, array] : model.state().arrays) {
    ModelState missing = model.state();
    missing.arrays.erase(name);
    EXPECT_ERROR(FeatureModel::from_state(missing, {}), DataError, "without the") << name;
    ModelState wrong = model.state();
    wrong.arrays[name] = Matrix<double>::filled(7, 5, 1.0);
    EXPECT_ERROR(FeatureModel::from_state(wrong, {}), Error, "need") << name;
    ModelState infinite = model.state();
    infinite.arrays[name].data()[0] = std::nan("");
    EXPECT_ERROR(FeatureModel::from_state(infinite, {}), Error, "number") << name;
  }
  ModelState bits = model.state();
  bits.arrays["kernel_bits"](0, 0) = 16;
  EXPECT_ERROR(FeatureModel::from_state(bits, {}), DataError,
               "a stored kpca model whose kernel values have neither 32 nor 64 bits");
  ModelState kind = model.state();
  kind.arrays["residual"](0, 0) = 5;
  EXPECT_ERROR(FeatureModel::from_state(kind, {}), DataError, "a stored kpca model with a residual of an unknown kind");
}

TEST(FeatureModel, OtherCentresTakeTheResidualAway) {
  const FeatureModel model(some_parts());
  Expansion smaller(parse_kernel("rbf(gamma=1)"), random_samples(2, 2, 5), random_matrix(2, 3, 6),
                    ParametricPart::constant, random_matrix(1, 3, 7), Precision::double_precision, {});
  const auto changed = model.with_expansion(smaller, {});
  EXPECT_EQ(changed->name(), "kpca");
  EXPECT_TRUE(changed->decision_names().empty());
  EXPECT_FALSE(changed->has_reconstruction());
  EXPECT_ERROR(changed->reconstruct(random_samples(1, 2, 1), {}), InvalidArgument,
               "kpca has no way back from its predictions to inputs");
  Matrix<double> expected(5, 3);
  smaller.evaluate(random_samples(5, 2, 8), expected.view(), {});
  EXPECT_TRUE(same_bits(changed->predict(random_samples(5, 2, 8), {}), expected));
  Expansion other(parse_kernel("rbf(gamma=2)"), random_samples(2, 2, 5), random_matrix(2, 3, 6),
                  ParametricPart::constant, random_matrix(1, 3, 7), Precision::double_precision, {});
  EXPECT_ERROR(model.with_expansion(other, {}), InvalidArgument, "features of another kernel");
}

TEST(FeatureModel, AllComponentsGiveTrainingSamplesBack) {
  const Samples x = random_samples(25, 2, 9);
  for (const bool center : {true, false}) {
    for (const bool whiten : {true, false}) {
      const auto model = fit_kpca(parse_kernel("rbf(gamma=0.5)"),
                                  {.components = 0,
                                   .center = center,
                                   .whiten = whiten,
                                   .tolerance = 1e-12,
                                   .precision = KpcaPrecision::double_precision},
                                  {x, {}, {}, {}}, {});
      ASSERT_TRUE(model->has_reconstruction());
      const Dense back = model->reconstruct(x, {});
      EXPECT_LT((back - Dense(random_matrix(25, 2, 9))).max_abs(), 1e-3) << center << whiten;
    }
  }
}

TEST(FeatureModel, PivotsGiveTheSameWayBack) {
  const Samples x = random_samples(25, 2, 11);
  const KpcaOptions exact{.components = 4, .method = KpcaMethod::exact, .precision = KpcaPrecision::double_precision};
  KpcaOptions pivoted = exact;
  pivoted.method = KpcaMethod::pivoted;
  pivoted.rank = 25;
  const TrainingData data{x, {}, {}, {}};
  const Dense a = fit_kpca(parse_kernel("rbf(gamma=0.5)"), exact, data, {})->reconstruct(x, {});
  const Dense b = fit_kpca(parse_kernel("rbf(gamma=0.5)"), pivoted, data, {})->reconstruct(x, {});
  EXPECT_LT((a - b).max_abs(), 1e-3);
  EXPECT_GT((a - Dense(random_matrix(25, 2, 11))).max_abs(), 1e-2);
}

// Noise about a circle: the projection on few components is nearer to it.
TEST(FeatureModel, ReconstructionsLoseNoise) {
  const Matrix<double> noise = random_matrix(120, 3, 10);
  Matrix<double> x(120, 2);
  for (Index i = 0; i < 120; ++i) {
    const double angle = 0.1 * static_cast<double>(i);
    x(i, 0) = std::cos(angle) + 0.15 * noise(i, 0);
    x(i, 1) = std::sin(angle) + 0.15 * noise(i, 1);
  }
  const Samples samples = make_dense(Matrix<double>::copy_of(x.view()));
  const auto model = fit_kpca(parse_kernel("rbf(gamma=1)"), {.components = 4}, {samples, {}, {}, {}}, {});
  const Matrix<double> back = model->reconstruct(samples, {});
  const auto distance = [](const Matrix<double>& points) {
    double sum = 0;
    for (Index i = 0; i < points.rows(); ++i) {
      sum += std::abs(std::hypot(points(i, 0), points(i, 1)) - 1);
    }
    return sum / static_cast<double>(points.rows());
  };
  EXPECT_LT(distance(back), 0.6 * distance(x));
  const mercer::Run three{{.threads = 3}};
  EXPECT_TRUE(same_bits(model->reconstruct(samples, three), back));
}

}  // namespace
}  // namespace mercer
