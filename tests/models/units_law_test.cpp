// Units: a model knows no metres. For every model of the registry, every word and yes/no of its options, and kernels of a
// distance and of inner products,
//
//   fit(c·X, s·y) with lengthscale · c, coef0 · c², and C, λ, ε in the units that follow
//
// answers as fit(X, y) does: values · s, labels as they are, ln p − d ln c, features · κ^p where the kernel values grew by
// κ. Units are 2^±20, about 10^±6: products with powers of two are exact, so that arithmetic that follows the units takes
// the same path to the bit whatever the tolerance of its solver, and a threshold that does not follow them shows. What is
// left is the rounding of logarithms and roots, and in searches over logarithms what a flat minimum makes of it. A new model
// is tested as it stands; an option with units, or answers that follow kernel values, get a line in units_law_tables.h.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/compress/compress.h"
#include "models/law_answers.h"
#include "models/option_variants.h"
#include "models/random_problem.h"
#include "models/units_law_tables.h"

namespace mercer {
namespace {

using namespace testing::units;
using testing::inner_products;
using testing::largest;
using testing::random_matrix;
using testing::text_of;

constexpr Index unit_rows = 40;
constexpr Index unit_columns = 2;

struct Units {
  double x = 1;
  double y = 1;
};
constexpr double large_unit = 1 << 20;
constexpr Units other_units[] = {{1 / large_unit, large_unit}, {large_unit, 1 / large_unit}};

// The first row of a table for a model and its settings.
template <class Table>
const auto* row_of(const Table& table, const ModelEntry& entry, const std::string& settings) {
  const auto found = std::find_if(std::begin(table), std::end(table), [&](const auto& row) {
    return row.model == entry.name && settings.find(row.when) != std::string::npos;
  });
  return found == std::end(table) ? nullptr : &*found;
}

std::vector<std::vector<OptionSetting>> variants_of(const ModelEntry& entry) {
  std::vector<std::vector<OptionSetting>> variants = testing::word_variants(entry);
  for (const Extra& extra : extras) {
    if (extra.model == entry.name) {
      variants.push_back(testing::settings_of_text(std::string(extra.settings)));
    }
  }
  return variants;
}

std::vector<OptionSetting> in_units(const ModelEntry& entry, std::vector<OptionSetting> settings, double kernel,
                                    double target) {
  const std::string text = text_of(settings);
  std::vector<std::string_view> seen;
  for (const OptionUnit& row : option_units) {
    const bool applies = row.model == entry.name && text.find(row.when) != std::string::npos;
    if (applies && std::find(seen.begin(), seen.end(), row.option) == seen.end()) {
      seen.push_back(row.option);
      const double value = row.value * std::pow(kernel, row.kernel_power) * std::pow(target, row.target_power);
      if (!std::isnan(value)) {
        settings.push_back({std::string(row.option), shortest(value)});
      }
    }
  }
  return settings;
}

Samples samples_in(double unit, Index rows, std::uint64_t seed, bool histograms) {
  Matrix<double> x = random_matrix(rows, unit_columns, seed);
  for (Index i = 0; i < rows * unit_columns; ++i) {
    x.data()[i] = unit * (histograms ? std::abs(x.data()[i]) : x.data()[i]);
  }
  return make_dense(std::move(x));
}

Targets targets_in(const ModelEntry& entry, double unit, int classes) {
  const Matrix<double> x = random_matrix(unit_rows, unit_columns, 141);
  const Matrix<double> noise = random_matrix(unit_rows, 1, 142);
  Matrix<double> y(unit_rows, 1);
  std::vector<std::string> labels;
  for (Index i = 0; i < unit_rows; ++i) {
    const double value = std::sin(1.5 * x(i, 0)) + 0.5 * x(i, 1) + 0.3 * noise(i, 0);
    y(i, 0) = unit * (entry.takes_second_view ? std::round(value) : 3 + value);
    labels.emplace_back(value < 0 ? "a" : classes == 2 || value < 0.8 ? "b" : "c");
  }
  return entry.task == Task::classification ? Targets::classes(labels) : Targets::numeric(y.view());
}

struct LawCase {
  const ModelEntry& entry;
  const KernelFamily* family;  // null: the model has no kernel
  std::vector<OptionSetting> settings;
  int classes;

  // gp and gpc: kernel values are variances of f, in units of the (standardised) targets or of the link.
  bool prior_has_units() const { return entry.name == "gp" || entry.name == "gpc"; }
  double kernel_factor(const Units& units) const {
    return family == nullptr || prior_has_units() ? 1.0 : family->in(units.x).factor;
  }
  // Reduced sets are for positive definite kernels.
  bool compresses() const { return family != nullptr && family->name != "homogeneous"; }
  bool histograms() const { return family != nullptr && family->name == "histogram"; }
  Samples queries(const Units& units) const { return samples_in(units.x, 20, 143, histograms()); }
  std::string label() const {
    return entry.name + " " + (family != nullptr ? std::string(family->name) : "") + " " + text_of(settings) + " " +
           std::to_string(classes) + " classes";
  }

  std::unique_ptr<FittedModel> fit(const Units& units) const {
    std::optional<Kernel> kernel;
    if (family != nullptr) {
      const KernelInUnits in = family->in(units.x);
      const bool raw = text_of(settings).find("standardize=no") != std::string::npos;
      const std::string scalar = shortest((raw ? units.y * units.y : 1.0) / in.factor) + "*";
      kernel = parse_kernel((prior_has_units() ? scalar : "") + in.text);
    }
    TrainingData data{samples_in(units.x, unit_rows, 141, histograms()),
                      uses_targets(entry) ? targets_in(entry, units.y, classes) : Targets()};
    return entry.fit(kernel, in_units(entry, settings, kernel_factor(units), units.y), data,
                     mercer::Run{{.threads = 1}});
  }
};

// values = factor · base + shift, to `tolerance` of `size`; all of them are finite.
void expect_follows(const char* what, const Matrix<double>& base, const Matrix<double>& values, double factor,
                    double tolerance, double size, double shift = 0) {
  ASSERT_EQ(values.rows(), base.rows()) << what;
  ASSERT_EQ(values.columns(), base.columns()) << what;
  double worst = 0;
  for (Index i = 0; i < base.rows() * base.columns(); ++i) {
    const double off = std::abs((values.data()[i] - shift) / factor - base.data()[i]);
    worst = off <= worst ? worst : off;
  }
  EXPECT_LE(worst, tolerance * size) << what;
}

void expect_answers_follow(const LawCase& law, const FittedModel& base, const FittedModel& model, const Units& units,
                           double tolerance) {
  const Samples before = law.queries({});
  const Samples after = law.queries(units);
  const AnswerUnit* const unit = row_of(answer_units, law.entry, text_of(law.settings));
  const double kernel = law.kernel_factor(units);
  const bool features = law.entry.task == Task::features;
  const double target = law.entry.task == Task::regression ? units.y : 1.0;
  const double shift = law.entry.task == Task::density ? -static_cast<double>(unit_columns) * std::log(units.x) : 0.0;
  Matrix<double> values = base.predict(before, {});
  Matrix<double> others = model.predict(after, {});
  if (features) {
    values = inner_products(values);
    others = inner_products(others);
  }
  const double size = largest(values);
  expect_follows("predictions", values, others,
                 target * std::pow(kernel, unit != nullptr ? 2 * unit->predict_power : 0), tolerance, size, shift);
  if (!base.decision_names().empty()) {
    const Matrix<double> decisions = base.decide(before, {});
    // What features leave out is a difference of squared lengths.
    expect_follows("decisions", decisions, model.decide(after, {}),
                   target * std::pow(kernel, unit != nullptr ? unit->decide_power : 0), tolerance,
                   largest(decisions) + (features ? size : 0));
  }
  if (base.has_probabilities()) {
    expect_follows("probabilities", base.probabilities(before, {}), model.probabilities(after, {}), 1, tolerance, 1);
  }
  if (base.has_distribution()) {
    const Matrix<double> variance = base.moments(before, PredictionOf::observation, {}).variance;
    expect_follows("variances", variance, model.moments(after, PredictionOf::observation, {}).variance, target * target,
                   10 * tolerance, largest(variance));
  }
  if (base.has_reconstruction()) {
    // Steps below 1e-6 of the spread of the centres end a search; a kernel may have no width to compare them with.
    const Matrix<double> points = base.reconstruct(before, {});
    expect_follows("pre-images", points, model.reconstruct(after, {}), units.x, std::max(tolerance, searched),
                   largest(points));
  }
  EXPECT_EQ(model.report().status, base.report().status);
}

// A reduced set of made-up points, that move until they settle: what it loses, as a share of the functions.
void expect_reduced_set_follows(const FittedModel& base, const FittedModel& model, double tolerance) {
  const auto lost = [](const FittedModel& one) {
    const CompressReport report = compress(one, {.size = 3, .refinement = 20}, nullptr, {}).report;
    return report.norm() > 0 ? report.error() / report.norm() : 0.0;
  };
  EXPECT_NEAR(lost(model), lost(base), std::max(tolerance, searched)) << "error of the reduced set";
}

class UnitsLaw : public ::testing::TestWithParam<const ModelEntry*> {};

std::span<const KernelFamily> families_of(const ModelEntry& entry) {
  const bool sums = entry.default_kernel.find(" + ") != std::string::npos;
  const bool histograms = entry.default_kernel.find("chi2") != std::string::npos;
  using Families = std::span<const KernelFamily>;
  return sums ? Families(sum_kernels) : histograms ? Families(histogram_kernels) : Families(general_kernels);
}

double tolerance_of(const LawCase& law) {
  if (const Exempt* const row = row_of(exempt, law.entry, text_of(law.settings))) {
    return row->tolerance;
  }
  const auto* const row = std::ranges::find_if(solved_cases, [&](const Solved& one) {
    return one.model == law.entry.name && law.family != nullptr && one.family == law.family->name &&
           text_of(law.settings).find(one.when) != std::string::npos;
  });
  return row != std::ranges::end(solved_cases) ? row->tolerance : exact;
}

// Whether anything was compared: settings that a model refuses are no case.
bool check_case(const LawCase& law) {
  const double tolerance = tolerance_of(law);
  if (std::isnan(tolerance)) {
    return false;
  }
  std::unique_ptr<FittedModel> base;
  try {
    base = law.fit({});
  } catch (const Error&) {
    return false;
  }
  for (const Units& units : other_units) {
    SCOPED_TRACE(law.label() + (units.x < 1 ? ", small x" : ", large x"));
    try {
      const auto model = law.fit(units);
      expect_answers_follow(law, *base, *model, units, tolerance);
      if (law.settings.empty() && base->expansion_form() != nullptr && law.compresses()) {
        expect_reduced_set_follows(*base, *model, tolerance);
      }
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }
  return true;
}

std::vector<LawCase> cases_of(const ModelEntry& entry) {
  std::vector<LawCase> cases;
  for (const std::vector<OptionSetting>& settings : variants_of(entry)) {
    for (int classes = 2; classes <= (entry.task == Task::classification ? 3 : 2); ++classes) {
      if (entry.default_kernel.empty()) {
        cases.push_back({entry, nullptr, settings, classes});
        continue;
      }
      const std::span<const KernelFamily> families = families_of(entry);
      for (const KernelFamily& family : families) {
        if (settings.empty() || family.name == "distance" || family.name == "linear" || families.size() == 1) {
          cases.push_back({entry, &family, settings, classes});
        }
      }
    }
  }
  return cases;
}

TEST_P(UnitsLaw, AnswersFollow) {
  Index compared = 0;
  for (const LawCase& law : cases_of(*GetParam())) {
    compared += check_case(law) ? 1 : 0;
  }
  EXPECT_GT(compared, 0) << "no case of this model was compared";
}

INSTANTIATE_TEST_SUITE_P(Registry, UnitsLaw, ::testing::ValuesIn(model_registry().begin(), model_registry().end()),
                         [](const auto& info) { return info.param->name; });

}  // namespace
}  // namespace mercer
