// Weights count rows: for every model of the registry, every word and yes/no of its options, every scaling and every rule
// for a width,
//
//   fit(X, y, w) with w in {0, 1, 2, 3}  answers as  fit(every row as many times as its weight says)
//
// A weight of 0 is a row deleted (here one far away, that would spoil a scaling), one of 2 the row twice. What is random,
// or cut into folds, sees other rows then; weights_law_tables.h names what is exempt, with the reason. A new model is
// tested as it stands.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "mercer/base/error.h"
#include "mercer/data/scaling.h"
#include "mercer/expansion/linear_weights.h"
#include "mercer/kernels/spec.h"
#include "models/law_answers.h"
#include "models/option_variants.h"
#include "models/random_problem.h"
#include "models/weights_law_tables.h"

namespace mercer {
namespace {

using namespace testing::weights;
using testing::inner_products;
using testing::largest;
using testing::random_matrix;
using testing::text_of;

constexpr Index law_rows = 36;
constexpr Index law_columns = 2;

struct WeightedData {
  TrainingData data;  // with weights
  TrainingData repeated;
};

Matrix<double> law_points(bool histograms) {
  Matrix<double> x = random_matrix(law_rows, law_columns, 241);
  for (Index i = 0; i < law_rows * law_columns && histograms; ++i) {
    x.data()[i] = std::abs(x.data()[i]);
  }
  // The rows of weight 0.
  for (Index i = 0; i < law_rows; i += 9) {
    x(i, 0) += 1000;
  }
  return x;
}

double law_weight(Index i) { return i % 9 == 0 ? 0.0 : i % 4 == 0 ? 2.0 : i % 7 == 0 ? 3.0 : 1.0; }

Targets law_targets(const ModelEntry& entry, int classes) {
  const Matrix<double> x = random_matrix(law_rows, law_columns, 241);
  const Matrix<double> noise = random_matrix(law_rows, 1, 242);
  Matrix<double> y(law_rows, 1);
  std::vector<std::string> labels;
  for (Index i = 0; i < law_rows; ++i) {
    const double value = std::sin(1.5 * x(i, 0)) + 0.5 * x(i, 1) + 0.3 * noise(i, 0);
    y(i, 0) = entry.takes_second_view ? std::round(value) : 3 + value;
    labels.emplace_back(value < 0 ? "a" : classes == 2 || value < 0.7 ? "b" : "c");
  }
  return entry.task == Task::classification ? Targets::classes(labels) : Targets::numeric(y.view());
}

WeightedData law_data(const ModelEntry& entry, int classes) {
  const bool histograms = entry.default_kernel.find("chi2") != std::string::npos;
  TrainingData data{make_dense(law_points(histograms)), uses_targets(entry) ? law_targets(entry, classes) : Targets()};
  std::vector<Index> rows;
  for (Index i = 0; i < law_rows; ++i) {
    data.weights.push_back(law_weight(i));
    rows.insert(rows.end(), static_cast<std::size_t>(law_weight(i)), i);
  }
  // Values again, not the same rows: a copy is a row of its own.
  Matrix<double> copies(static_cast<Index>(rows.size()), law_columns);
  copy_rows(data.samples.select(rows), {0, copies.rows()}, copies.view());
  TrainingData repeated{make_dense(std::move(copies)), uses_targets(entry) ? data.targets.select(rows) : Targets()};
  return {std::move(data), std::move(repeated)};
}

struct LawCase {
  const ModelEntry& entry;
  std::string kernel;  // empty: the model has none
  std::string scaling;
  std::vector<OptionSetting> settings;
  int classes;

  std::string label() const {
    return entry.name + " " + kernel + " " + scaling + " " + text_of(settings) + " " + std::to_string(classes) +
           " classes";
  }
};

struct Fitted {
  Scaling scaling;
  std::unique_ptr<FittedModel> model;

  Samples queries(const ModelEntry& entry) const {
    Matrix<double> x = random_matrix(15, law_columns, 243);
    for (Index i = 0; i < 15 * law_columns; ++i) {
      x.data()[i] = entry.default_kernel.find("chi2") != std::string::npos ? std::abs(x.data()[i]) : x.data()[i];
    }
    return scaling.apply(make_dense(std::move(x)));
  }
};

Fitted fit(const LawCase& law, TrainingData data) {
  Fitted fitted;
  fitted.scaling = fit_scaling(parse_scaling(law.scaling), {data.samples, data.weights});
  data.samples = fitted.scaling.apply(data.samples);
  std::vector<OptionSetting> settings = law.settings;
  for (const Setting& setting : needed_settings) {
    if (setting.model == law.entry.name && text_of(settings).find(setting.unless) == std::string::npos) {
      settings.push_back({std::string(setting.option), std::string(setting.value)});
    }
  }
  fitted.model = law.entry.fit(law.kernel.empty() ? std::nullopt : std::optional(parse_kernel(law.kernel)), settings,
                               data, mercer::Run{{.threads = 1}});
  return fitted;
}

void expect_equal(const char* what, const Matrix<double>& weighted, const Matrix<double>& repeated, double tolerance,
                  double size) {
  ASSERT_EQ(weighted.rows(), repeated.rows()) << what;
  ASSERT_EQ(weighted.columns(), repeated.columns()) << what;
  double worst = 0;
  for (Index i = 0; i < weighted.rows() * weighted.columns(); ++i) {
    const double off = std::abs(weighted.data()[i] - repeated.data()[i]);
    worst = off <= worst ? worst : off;
  }
  EXPECT_LE(worst, tolerance * size) << what;
}

// Which rows are together, whatever the numbers of the clusters.
Matrix<double> same_cluster(const Matrix<double>& clusters) {
  Matrix<double> same(clusters.rows(), clusters.rows());
  for (Index i = 0; i < clusters.rows(); ++i) {
    for (Index j = 0; j < clusters.rows(); ++j) {
      same(i, j) = clusters(i, 0) == clusters(j, 0) ? 1 : 0;
    }
  }
  return same;
}

Matrix<double> comparable(const FittedModel& model, const Samples& queries) {
  Matrix<double> values = model.predict(queries, {});
  return model.task() == Task::features     ? inner_products(values)
         : model.task() == Task::clustering ? same_cluster(values)
                                            : std::move(values);
}

void expect_same_answers(const LawCase& law, const Fitted& weighted, const Fitted& repeated, double tolerance) {
  const Samples a = weighted.queries(law.entry);
  const Samples b = repeated.queries(law.entry);
  const Matrix<double> values = comparable(*repeated.model, b);
  // Functions that are 0 are so by rounding; targets and distances are of size 1.
  expect_equal("predictions", comparable(*weighted.model, a), values, tolerance, std::max(1e-6, largest(values)));
  if (!repeated.model->decision_names().empty() && law.entry.task != Task::clustering) {
    const Matrix<double> decisions = repeated.model->decide(b, {});
    expect_equal("decisions", weighted.model->decide(a, {}), decisions, tolerance, largest(decisions));
  }
  if (repeated.model->has_probabilities()) {
    expect_equal("probabilities", weighted.model->probabilities(a, {}), repeated.model->probabilities(b, {}), tolerance,
                 1);
  }
  if (repeated.model->has_distribution()) {
    const Matrix<double> variance = repeated.model->moments(b, PredictionOf::observation, {}).variance;
    expect_equal("variances", weighted.model->moments(a, PredictionOf::observation, {}).variance, variance,
                 10 * tolerance, largest(variance));
  }
  EXPECT_EQ(weighted.model->report().status, repeated.model->report().status);
}

const Exempt* exemption_of(const LawCase& law) {
  for (const Exempt& row : exempt) {
    if (row.model == law.entry.name && text_of(law.settings).find(row.when) != std::string::npos) {
      return &row;
    }
  }
  return nullptr;
}

// Whether anything was compared: settings that a model refuses are no case.
bool check_case(const LawCase& law) {
  const Exempt* const exemption = exemption_of(law);
  if (exemption != nullptr && std::isnan(exemption->tolerance)) {
    return false;
  }
  SCOPED_TRACE(law.label());
  const WeightedData data = law_data(law.entry, law.classes);
  Fitted repeated;
  try {
    repeated = fit(law, data.repeated);
  } catch (const Error&) {
    return false;
  }
  try {
    expect_same_answers(law, fit(law, data.data), repeated, exemption != nullptr ? exemption->tolerance : solved);
  } catch (const Error& error) {
    ADD_FAILURE() << error.what();
  }
  return true;
}

std::vector<std::string> kernels_of(const ModelEntry& entry) {
  if (entry.default_kernel != "rbf(gamma=scale)") {
    return {entry.default_kernel};
  }
  return {entry.default_kernel, "rbf(gamma=median)", "rbf(lengthscale=ard)"};
}

std::vector<LawCase> cases_of(const ModelEntry& entry) {
  std::vector<LawCase> cases;
  for (const std::vector<OptionSetting>& settings : testing::word_variants(entry)) {
    for (int classes = 2; classes <= (entry.task == Task::classification ? 3 : 2); ++classes) {
      cases.push_back({entry, entry.default_kernel, "standard", settings, classes});
    }
  }
  for (const std::string& kernel : kernels_of(entry)) {
    for (const char* scaling : {"none", "standard", "deviation", "maxabs", "robust", "minmax:0,1"}) {
      cases.push_back({entry, kernel, scaling, {}, 2});
    }
  }
  return cases;
}

class WeightsLaw : public ::testing::TestWithParam<const ModelEntry*> {};

TEST_P(WeightsLaw, CountRows) {
  Index compared = 0;
  for (const LawCase& law : cases_of(*GetParam())) {
    compared += check_case(law) ? 1 : 0;
  }
  const Exempt* const whole = exemption_of({*GetParam(), {}, {}, {}, 2});
  EXPECT_EQ(compared == 0, whole != nullptr && std::isnan(whole->tolerance)) << "cases compared: " << compared;
}

INSTANTIATE_TEST_SUITE_P(Registry, WeightsLaw, ::testing::ValuesIn(model_registry().begin(), model_registry().end()),
                         [](const auto& info) { return info.param->name; });

}  // namespace
}  // namespace mercer
