// What every model of features shares: its parts must fit together, its state must be whole, its reconstructions are
// pre-images of its projections.
#include "mercer/models/features/feature_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/features/kpca.h"
#include "mercer/models/model_state.h"
#include "models/random_problem.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::Dense;
using testing::random_matrix;
using testing::random_samples;
using testing::same_bits;

ModelHead some_head() {
  return {.name = "kpca", .requested_kernel = "rbf(gamma=1)", .output_names = component_names(3)};
}

FeatureModel::Parts some_parts() {
  return {.expansion = Expansion(parse_kernel("rbf(gamma=1)"), random_samples(4, 2, 1), random_matrix(4, 3, 2),
                                 ParametricPart::constant, random_matrix(1, 3, 3), Precision::double_precision, {}),
          .value = ComponentValue::variance,
          .values = {3, 2, 1},
          .center_rows = {0, 1, 2, 3},
          .residual = FeatureResidual{{1, 1, 2}, {0.25, 0.25, 0.25, 0.25}, 0.5}};
}

std::unique_ptr<FeatureModel> loaded(ModelState state) {
  std::unique_ptr<FittedModel> model = kpca_entry().load(std::move(state), {});
  return std::unique_ptr<FeatureModel>(&dynamic_cast<FeatureModel&>(*model.release()));
}

TEST(FeatureModel, PartsMustFitTogether) {
  EXPECT_NO_THROW(FeatureModel(some_head(), some_parts()));
  const auto refused = [](auto change, const char* words) {
    FeatureModel::Parts parts = some_parts();
    change(parts);
    EXPECT_ERROR(FeatureModel(some_head(), std::move(parts)), InvalidArgument, words);
  };
  refused([](auto& p) { p.values.pop_back(); }, "a feature model with 2 values of components where 3 are needed");
  refused([](auto& p) { p.values[0] = std::nan(""); }, "a feature model whose values of components are not all finite");
  refused([](auto& p) { p.center_rows.pop_back(); }, "a feature model with 3 rows of centres where 4 are needed");
  refused([](auto& p) { p.residual->scales.pop_back(); }, "a feature model with 2 scales where 3 are needed");
  refused([](auto& p) { p.residual->scales[1] = 0; }, "a feature model with a scale that is not above 0");
  refused([](auto& p) { p.residual->mean_weights.pop_back(); },
          "a feature model with 3 weights of the mean where 4 are needed");
  refused([](auto& p) { p.residual->mean_norm = std::nan(""); }, "a feature model whose mean has no finite norm");
  refused([](auto& p) { p.residual->mean_weights.clear(); }, "a feature model whose mean has no finite norm");
  FeatureModel::Parts elsewhere = some_parts();
  elsewhere.center_rows.clear();
  EXPECT_NO_THROW(FeatureModel(some_head(), std::move(elsewhere)));
  ModelHead unnamed = some_head();
  unnamed.output_names.pop_back();
  EXPECT_ERROR(FeatureModel(std::move(unnamed), some_parts()), InvalidArgument,
               "a feature model with 2 names of components where 3 are needed");
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
    const FeatureModel model(some_head(), std::move(parts));
    const auto again = loaded(state_of(model));
    EXPECT_EQ(again->parts().values, model.parts().values);
    EXPECT_EQ(again->parts().value, ComponentValue::variance);
    EXPECT_EQ(again->parts().center_rows, model.parts().center_rows);
    EXPECT_EQ(again->decision_names(), model.decision_names());
    EXPECT_EQ(again->output_names(), (std::vector<std::string>{"component1", "component2", "component3"}));
    EXPECT_TRUE(same_bits(again->predict(x, {}), model.predict(x, {})));
    if (kind > 0) {
      EXPECT_TRUE(same_bits(again->decide(x, {}), model.decide(x, {})));
    }
  }
}

TEST(FeatureModel, BrokenStatesAreRefused) {
  const FeatureModel model(some_head(), some_parts());
  const auto refused = [&](auto damage, const char* words, const std::string& what) {
    ModelState state = state_of(model);
    damage(state.parts);
    EXPECT_ERROR(loaded(std::move(state)), Error, words) << what;
  };
  const ModelState whole = state_of(model);
  for (const auto& [name, array] : whole.parts.numbers) {
    refused([&](ModelParts& parts) { parts.numbers.erase(name); }, "a stored kpca model without the", name);
    refused([&](ModelParts& parts) { parts.numbers[name] = Matrix<double>::filled(7, 5, 1.0); }, "needs", name);
    refused([&](ModelParts& parts) { parts.numbers[name].data()[0] = std::nan(""); }, "is not finite", name);
  }
  for (const auto& [name, word] : whole.parts.words) {
    refused([&](ModelParts& parts) { parts.words[name] = "x"; }, "= 'x', which is none of", name);
  }
  for (const char* word : {"component_value", "residual_about"}) {
    refused([&](ModelParts& parts) { parts.words.erase(word); }, "a stored kpca model without the", word);
  }
  const std::string rows = "centre_rows";
  refused([&](ModelParts& parts) { parts.integers.erase(rows); }, "without the array 'centre_rows'", rows);
  refused([&](ModelParts& parts) { parts.integers[rows] = Matrix<Index>::filled(7, 5, 1); }, "needs", rows);
  refused([&](ModelParts& parts) { parts.integers[rows] = Matrix<Index>::filled(3, 1, 1); }, "3 rows of centres", rows);
  refused([&](ModelParts& parts) { parts.integers[rows](0, 0) = -1; }, "'centre_rows' holds", rows);
  ModelState renamed = state_of(model);
  renamed.head.output_names.pop_back();
  EXPECT_ERROR(loaded(std::move(renamed)), DataError, "'coefficients' is 4 by 3 where the model needs 4 by 2");
}

// As formats 1 and 2 had it: what the values are in the name of their array, the kind of the residual as a number.
ModelState state_before(const FeatureModel& model, double residual) {
  ModelState state = state_of(model);
  ModelParts& parts = state.parts;
  const auto rename = [&](const std::string& from, const std::string& to) {
    auto node = parts.numbers.extract(from);
    node.key() = to;
    parts.numbers.insert(std::move(node));
  };
  rename("values", "values of variance");
  parts.words.clear();
  parts.numbers["kernel_bits"] = Matrix<double>::filled(1, 1, 64);
  parts.numbers["residual"] = Matrix<double>::filled(1, 2, residual);
  if (const auto norm = parts.numbers.extract("mean_norm"); !norm.empty()) {
    parts.numbers["residual"](0, 1) = norm.mapped()(0, 0);
  }
  Matrix<double> rows(4, 1);
  for (Index i = 0; i < 4; ++i) {
    rows(i, 0) = static_cast<double>(i);
  }
  parts.integers.clear();
  parts.numbers["centre_rows"] = std::move(rows);
  return state;
}

TEST(FeatureModel, StatesOfBeforeComeBackWhole) {
  const Samples x = random_samples(9, 2, 4);
  const FeatureModel model(some_head(), some_parts());
  const auto again = loaded(state_before(model, 2));
  EXPECT_EQ(again->parts().values, model.parts().values);
  EXPECT_EQ(again->parts().center_rows, model.parts().center_rows);
  EXPECT_EQ(again->parts().residual->mean_norm, 0.5);
  EXPECT_TRUE(same_bits(again->decide(x, {}), model.decide(x, {})));
  EXPECT_FALSE(loaded(state_before(model, 0))->parts().residual.has_value());
  EXPECT_ERROR(loaded(state_before(model, 5)), DataError, "a stored kpca model with a residual of an unknown kind");
  ModelState bits = state_before(model, 2);
  bits.parts.numbers["kernel_bits"](0, 0) = 16;
  EXPECT_ERROR(loaded(std::move(bits)), DataError, "'kernel_bits' is neither 32 nor 64");
  ModelState unknown = state_before(model, 2);
  unknown.parts.numbers.erase("values of variance");
  EXPECT_ERROR(loaded(std::move(unknown)), DataError, "a stored kpca model without the word 'component_value'");
}

TEST(FeatureModel, OtherCentersTakeTheResidualAway) {
  const FeatureModel model(some_head(), some_parts());
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
