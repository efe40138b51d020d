// What the comparison of kernel machines is made of: the five machines, the problems they are compared on, and how a
// fitted model is measured. Reference: Murphy (2012), Machine learning, 14.3 and table 14.1.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "mercer/base/random.h"
#include "mercer/expansion/expansion.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/model.h"

namespace comparison {

using mercer::Index;

/// The same machine for numbers and for classes. All have the Gaussian kernel; the amplitude of a Gaussian process is a
/// parameter that it learns.
struct Machine {
  std::string title;
  std::string regression;
  std::string classification;
  std::string amplitude = {};
  std::vector<mercer::OptionSetting> regression_settings = {};
  std::vector<mercer::OptionSetting> classification_settings = {};
};

inline std::vector<Machine> machines() {
  return {
      {.title = "L2VM", .regression = "l2vmr", .classification = "l2vmc"},
      {.title = "L1VM", .regression = "l1vmr", .classification = "l1vmc"},
      {.title = "RVM", .regression = "rvr", .classification = "rvc", .regression_settings = {{"tolerance", "1e-6"}}},
      {.title = "SVM",
       .regression = "svr",
       .classification = "svc",
       .regression_settings = {{"epsilon", "0.1"}, {"C", "10"}, {"tolerance", "1e-6"}},
       .classification_settings = {{"probability", "yes"}}},
      {.title = "GP", .regression = "gp", .classification = "gpc", .amplitude = "1*"}};
}

inline std::unique_ptr<mercer::FittedModel> fit(const std::string& name, const std::string& kernel,
                                                const std::vector<mercer::OptionSetting>& settings,
                                                const mercer::TrainingData& data, const mercer::Run& run) {
  return mercer::find_model(name).fit(mercer::parse_kernel(kernel), settings, data, run);
}

inline std::unique_ptr<mercer::FittedModel> fit_numbers(const Machine& machine, const std::string& kernel,
                                                        const mercer::TrainingData& data, const mercer::Run& run) {
  return fit(machine.regression, machine.amplitude + kernel, machine.regression_settings, data, run);
}

inline std::unique_ptr<mercer::FittedModel> fit_classes(const Machine& machine, const std::string& kernel,
                                                        const mercer::TrainingData& data, const mercer::Run& run) {
  return fit(machine.classification, machine.amplitude + kernel, machine.classification_settings, data, run);
}

inline mercer::Samples column(const std::vector<double>& x) {
  return mercer::make_dense(x, static_cast<Index>(x.size()), 1);
}

inline std::vector<double> steps(double from, double to, int count) {
  std::vector<double> x;
  for (int i = 0; i < count; ++i) {
    x.push_back(from + (to - from) * i / (count - 1));
  }
  return x;
}

/// Points with coordinates at hand, as figures need them.
struct Problem {
  std::vector<double> first;   ///< first coordinate
  std::vector<double> second;  ///< second coordinate or target
  std::vector<std::string> labels = {};
  mercer::TrainingData data = {};
};

inline double sinc(double x) { return x == 0 ? 1 : std::sin(x) / x; }

/// sin(x)/x on [−10, 10] with normal noise.
inline Problem noisy_sinc(Index rows, double deviation, std::uint64_t seed) {
  mercer::RandomStream random(seed, 145);
  Problem problem;
  for (Index i = 0; i < rows; ++i) {
    problem.first.push_back(-10 + 20 * random.uniform());
    problem.second.push_back(sinc(problem.first.back()) + deviation * random.normal());
  }
  problem.data = {column(problem.first), mercer::Targets::numeric(problem.second, "y")};
  return problem;
}

/// The same with every row mirrored, (x, y) and (−x, y): what is the only solution of such data is symmetric.
inline Problem mirrored_sinc(Index pairs, double deviation, std::uint64_t seed) {
  mercer::RandomStream random(seed, 146);
  Problem problem;
  for (Index i = 0; i < pairs; ++i) {
    const double x = 10 * random.uniform();
    const double y = sinc(x) + deviation * random.normal();
    problem.first.insert(problem.first.end(), {x, -x});
    problem.second.insert(problem.second.end(), {y, y});
  }
  problem.data = {column(problem.first), mercer::Targets::numeric(problem.second, "y")};
  return problem;
}

/// Two classes in the plane, each of two normal clouds with deviation 0.17, like Ripley's synthetic data.
struct Clouds {
  static constexpr double deviation = 0.17;
  static constexpr std::array<std::array<double, 2>, 4> centers = {{{-0.7, 0.3}, {0.3, 0.3}, {-0.3, 0.7}, {0.4, 0.7}}};

  /// ln p(x | second class)/p(x | first class): the best rule is its sign.
  static double log_odds(double x, double y) {
    double density[2] = {0, 0};
    for (std::size_t c = 0; c < 4; ++c) {
      const double square = std::pow(x - centers[c][0], 2) + std::pow(y - centers[c][1], 2);
      density[c / 2] += std::exp(-square / (2 * deviation * deviation)) + 1e-300;
    }
    return std::log(density[1] / density[0]);
  }

  static Problem draw(Index rows, std::uint64_t seed) {
    mercer::RandomStream random(seed, 144);
    Problem problem;
    mercer::Matrix<double> x(rows, 2);
    for (Index i = 0; i < rows; ++i) {
      const std::array<double, 2>& center = centers[i % 4];
      x(i, 0) = center[0] + deviation * random.normal();
      x(i, 1) = center[1] + deviation * random.normal();
      problem.first.push_back(x(i, 0));
      problem.second.push_back(x(i, 1));
      problem.labels.emplace_back(i % 4 < 2 ? "lower" : "upper");
    }
    problem.data = {mercer::make_dense(std::move(x)), mercer::Targets::classes(problem.labels, "class")};
    return problem;
  }
};

/// Uniform on (0, 1) against uniform on (0.5, 1.5): a quarter of all rows is wrong under the best rule, and between 0.5
/// and 1 both classes are equally likely.
inline Problem two_uniforms(Index rows, std::uint64_t seed) {
  mercer::RandomStream random(seed, 54);
  Problem problem;
  for (Index i = 0; i < rows; ++i) {
    const bool right = i % 2 == 1;
    problem.first.push_back(random.uniform() + (right ? 0.5 : 0.0));
    problem.labels.emplace_back(right ? "right" : "left");
  }
  problem.data = {column(problem.first), mercer::Targets::classes(problem.labels, "side")};
  return problem;
}

/// The same, with both classes at equal steps: shares of these rows are those of the distribution itself.
inline Problem even_uniforms(Index rows) {
  Problem problem;
  for (Index i = 0; i < rows; ++i) {
    const bool right = i % 2 == 1;
    problem.first.push_back((static_cast<double>(i / 2) + 0.5) / static_cast<double>(rows / 2) + (right ? 0.5 : 0.0));
    problem.labels.emplace_back(right ? "right" : "left");
  }
  problem.data = {column(problem.first), mercer::Targets::classes(problem.labels, "side")};
  return problem;
}

/// Normal clouds of deviation 1 around the corners of a regular polygon, one per class.
inline Problem polygon_clouds(Index rows, int classes, double radius, std::uint64_t seed) {
  mercer::RandomStream random(seed, 147);
  Problem problem;
  mercer::Matrix<double> x(rows, 2);
  for (Index i = 0; i < rows; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i % classes) / classes;
    x(i, 0) = radius * std::cos(angle) + random.normal();
    x(i, 1) = radius * std::sin(angle) + random.normal();
    problem.labels.push_back("class " + std::to_string(i % classes));
  }
  problem.data = {mercer::make_dense(std::move(x)), mercer::Targets::classes(problem.labels, "class")};
  return problem;
}

/// Rows that a prediction needs: those of the expansion, all where the model keeps all.
inline Index vectors(const mercer::FittedModel& model, Index rows) {
  const mercer::Expansion* expansion = model.expansion_form();
  return expansion == nullptr ? rows : expansion->centers().size();
}

/// Share of wrong classes.
inline double error_rate(const mercer::FittedModel& model, const mercer::TrainingData& test, const mercer::Run& run) {
  const mercer::Matrix<double> predicted = model.predict(test.samples, run);
  const mercer::ClassLabels truth = test.targets.labels(0, model.classes());
  double wrong = 0;
  for (Index i = 0; i < predicted.rows(); ++i) {
    wrong += predicted(i, 0) == truth.codes[i] ? 0 : 1;
  }
  return wrong / static_cast<double>(predicted.rows());
}

/// Mean of −ln P(true class).
inline double log_loss(const mercer::FittedModel& model, const mercer::TrainingData& test, const mercer::Run& run) {
  const mercer::Matrix<double> shares = model.probabilities(test.samples, run);
  const mercer::ClassLabels truth = test.targets.labels(0, model.classes());
  double sum = 0;
  for (Index i = 0; i < shares.rows(); ++i) {
    sum -= std::log(shares(i, truth.codes[i]));
  }
  return sum / static_cast<double>(shares.rows());
}

/// Root mean square distance from sin(x)/x on [−10, 10].
inline double sinc_error(const mercer::FittedModel& model, const mercer::Run& run) {
  const std::vector<double> x = steps(-10, 10, 401);
  const mercer::Matrix<double> predicted = model.predict(column(x), run);
  double squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    squares += std::pow(predicted(static_cast<Index>(i), 0) - sinc(x[i]), 2);
  }
  return std::sqrt(squares / static_cast<double>(x.size()));
}

/// The largest |f(x) − f(−x)| on [0, 10].
inline double asymmetry(const mercer::FittedModel& model, const mercer::Run& run) {
  const std::vector<double> x = steps(-10, 10, 401);
  const mercer::Matrix<double> predicted = model.predict(column(x), run);
  double largest = 0;
  for (Index i = 0; i < 200; ++i) {
    largest = std::max(largest, std::abs(predicted(i, 0) - predicted(400 - i, 0)));
  }
  return largest;
}

}  // namespace comparison
