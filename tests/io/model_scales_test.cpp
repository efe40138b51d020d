// Law: data of any size that a double can have. Samples or targets times 1e-320 … 1e300: the fit refuses them with an
// error that says so, or its answers are those on data of unit size (relative to the size of the targets) and the model
// can be written and read. Nothing in between: no constants, no zeros, no files that cannot be loaded.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/io/model_file.h"
#include "mercer/kernels/spec.h"
#include "models/random_problem.h"

namespace mercer {
namespace {

constexpr double extreme_scales[] = {1e-320, 1e-300, 1e-154, 1e-100, 1e100, 1e154, 1e300};
constexpr Index scaled_columns = 3;

Matrix<double> times(Matrix<double> values, double factor) {
  std::for_each_n(values.data(), values.rows() * values.columns(), [&](double& value) { value *= factor; });
  return values;
}

Matrix<double> scale_targets(Index rows) {
  const Matrix<double> x = testing::random_matrix(rows, scaled_columns, 51);
  const Matrix<double> noise = testing::random_matrix(rows, 1, 52);
  Matrix<double> y(rows, 1);
  for (Index i = 0; i < rows; ++i) {
    y(i, 0) = std::sin(2 * x(i, 0)) + x(i, 1) + 0.1 * noise(i, 0);
  }
  return y;
}

class ModelScales : public ::testing::TestWithParam<const ModelEntry*> {
 protected:
  // Options in the units of the targets go with them. The search for bandwidths has a law of its own, over units.
  std::vector<OptionSetting> settings(double y_scale) const {
    std::vector<OptionSetting> result;
    for (const OptionDescription& option : GetParam()->options) {
      if (option.name == "epsilon" && !option.default_value.empty()) {
        result.push_back({"epsilon", shortest(0.1 * y_scale)});
      }
      // At 1e-320 targets have three digits: within the usual tolerance there is room for answers that differ by more.
      if (option.name == "tolerance" && GetParam()->name == "linearsvr") {
        result.push_back({"tolerance", "1e-6"});
      }
      if (option.name == "bandwidth" && option.default_value == "cv") {
        result.push_back({"bandwidth", "normal"});
      }
    }
    return result;
  }

  StoredModel fitted(double x_scale, double y_scale) const {
    const Matrix<double> y = scale_targets(60);
    TrainingData data{make_dense(times(testing::random_matrix(60, scaled_columns, 51), x_scale)), {}};
    if (GetParam()->task == Task::classification) {
      std::vector<std::string> labels;
      std::transform(y.data(), y.data() + y.rows(), std::back_inserter(labels),
                     [](double value) { return value > 0 ? "yes" : "no"; });
      data.targets = Targets::classes(labels);
    } else {
      data.targets = Targets::numeric(times(Matrix<double>::copy_of(y.view()), y_scale).view());
    }
    StoredModel stored;
    stored.preparation.schema = schema_of(data.samples);
    stored.model = GetParam()->fit(kernel_for(*GetParam()), settings(y_scale), data, {});
    return stored;
  }

  static Samples queries(double x_scale) {
    return make_dense(times(testing::random_matrix(20, scaled_columns, 53), x_scale));
  }

  // Empty where the fit refuses. The model that was read answers.
  std::optional<Matrix<double>> answers(double x_scale, double y_scale) const {
    StoredModel stored;
    try {
      stored = fitted(x_scale, y_scale);
    } catch (const Error&) {
      return {};
    }
    return model_from_bytes(model_to_bytes(stored), "memory").model->predict(queries(x_scale), {});
  }

  // Densities are per unit of volume.
  void expect_same(const Matrix<double>& unit, const Matrix<double>& found, double x_scale, double y_scale) const {
    const double shift = GetParam()->task == Task::density ? scaled_columns * std::log(x_scale) : 0.0;
    double largest = 0;
    std::for_each_n(unit.data(), unit.rows() * unit.columns(), [&](double value) {
      largest = std::isfinite(value) ? std::max(largest, std::abs(value)) : largest;
    });
    for (Index i = 0; i < unit.rows(); ++i) {
      for (Index o = 0; o < unit.columns(); ++o) {
        const double value = found(i, o) / y_scale + shift;
        if (!std::isfinite(unit(i, o))) {
          EXPECT_EQ(value, unit(i, o)) << "row " << i;  // outside of a histogram
        } else {
          EXPECT_LE(std::abs(value - unit(i, o)), 0.01 * largest) << "row " << i << ", output " << o;
        }
      }
    }
  }
};

TEST_P(ModelScales, OfTargets) {
  if (GetParam()->task != Task::regression) {
    return;
  }
  // These keep coefficients as float.
  const std::set<std::string> may_refuse = {"svr", "nusvr", "mklsvr"};
  const Matrix<double> unit = answers(1, 1).value();
  for (const double scale : extreme_scales) {
    const std::optional<Matrix<double>> found = answers(1, scale);
    SCOPED_TRACE(shortest(scale));
    if (found) {
      expect_same(unit, *found, 1, scale);
    } else {
      const bool is_far = scale < 1e-100 || scale > 1e100;
      EXPECT_TRUE(is_far || may_refuse.contains(GetParam()->name)) << "refused";
    }
  }
}

TEST_P(ModelScales, OfSamples) {
  // Exempt from the comparison, not from the rest: their penalty or their map is in the units of the samples.
  const std::set<std::string> has_units = {"linearsvc", "linearsvr", "sketch", "chi2map"};
  const Matrix<double> unit = answers(1, 1).value();
  for (const double scale : extreme_scales) {
    const std::optional<Matrix<double>> found = answers(scale, 1);
    if (found && !has_units.contains(GetParam()->name)) {
      SCOPED_TRACE(shortest(scale));
      expect_same(unit, *found, scale, 1);
    }
  }
}

// Loess divides columns by their own spread.
TEST(ModelScalesOfLoess, OneColumn) {
  const Matrix<double> y = scale_targets(60);
  const auto answers = [&](double scale) {
    const auto scaled = [&](Index rows, std::uint64_t seed) {
      Matrix<double> x = testing::random_matrix(rows, scaled_columns, seed);
      for (Index i = 0; i < rows; ++i) {
        x(i, 0) *= scale;
      }
      return make_dense(std::move(x));
    };
    StoredModel stored;
    const TrainingData data{scaled(60, 51), Targets::numeric(y.view())};
    stored.preparation.schema = schema_of(data.samples);
    stored.model = find_model("loess").fit({}, {}, data, {});
    return model_from_bytes(model_to_bytes(stored), "memory").model->predict(scaled(20, 53), {});
  };
  const Matrix<double> unit = answers(1);
  for (const double scale : {1e-310, 1e-200, 1e100}) {
    const Matrix<double> found = answers(scale);
    for (Index i = 0; i < unit.rows(); ++i) {
      EXPECT_NEAR(found(i, 0), unit(i, 0), 1e-8) << scale;  // targets are of size 1
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, ModelScales, ::testing::ValuesIn(model_registry().begin(), model_registry().end()),
                         [](const auto& info) { return info.param->name; });

}  // namespace
}  // namespace mercer
