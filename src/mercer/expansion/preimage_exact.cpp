#include "mercer/expansion/preimage_exact.h"

#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "mercer/base/error.h"
#include "mercer/expansion/preimage_points.h"
#include "mercer/kernels/algebra.h"
#include "mercer/kernels/dot/linear.h"
#include "mercer/kernels/dot/poly.h"
#include "mercer/kernels/dot/sigmoid.h"
#include "mercer/kernels/kernel_node.h"

namespace mercer {

namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

using Inverse = std::function<double(double)>;

// f⁻¹ of k = f(xᵀy).
std::optional<Inverse> inverse_of_dot(const Kernel& kernel) {
  const KernelNode& node = kernel.node();
  if (!node.parameters().resolved()) {
    return std::nullopt;
  }
  if (const auto scale = as_scale(kernel)) {
    const double factor = *scale->factor;
    const std::optional<Inverse> inner = inverse_of_dot(scale->kernel);
    if (!inner || factor == 0) {
      return std::nullopt;
    }
    return [inner = *inner, factor](double value) { return inner(value / factor); };
  }
  if (&node.entry() == &linear_entry()) {
    return [](double value) { return value; };
  }
  if (&node.entry() == &poly_entry() && node.children().empty()) {
    const int degree = node.parameters().integer("degree");
    const double gamma = node.parameters().number("gamma");
    const double offset = node.parameters().number("coef0");
    if (degree % 2 == 0) {
      return std::nullopt;
    }
    return
        [=](double value) { return (std::copysign(std::pow(std::abs(value), 1.0 / degree), value) - offset) / gamma; };
  }
  if (&node.entry() == &sigmoid_entry()) {
    const double gamma = node.parameters().number("gamma");
    const double offset = node.parameters().number("coef0");
    return [=](double value) { return std::abs(value) < 1 ? (std::atanh(value) - offset) / gamma : no_number; };
  }
  return std::nullopt;
}

Matrix<double> from_products(const PreimageObjective& objective, const Inverse& inverse, Index columns,
                             const Run& run) {
  const Index d = objective.dimension();
  Matrix<double> axes = Matrix<double>::filled(d, d, 0.0);
  for (Index j = 0; j < d; ++j) {
    axes(j, j) = objective.lengths()[j];
  }
  Matrix<double> g(d, columns);
  std::vector<double> lengths(d);
  objective.projections(axes.view(), g.view(), lengths, run);
  Matrix<double> points(columns, d);
  for (Index c = 0; c < columns; ++c) {
    for (Index j = 0; j < d; ++j) {
      points(c, j) = inverse(g(j, c)) / axes(j, j);
    }
  }
  return points;
}

Matrix<double> from_distances(const PreimageObjective& objective, Index columns, const Run& run) {
  const RadialForm& form = *objective.radial();
  const ConstMatrixView<double> centers = objective.points();
  const Index d = objective.dimension();
  std::vector<double> mean(d, 0.0);
  for (Index i = 0; i < centers.rows(); ++i) {
    for (Index j = 0; j < d; ++j) {
      mean[j] += centers(i, j) / static_cast<double>(centers.rows());
    }
  }
  // A step along a column that the kernel does not see would be infinite; it says nothing of z there either.
  const auto step = [&](Index j) {
    const double weight = form.squared_weight(j);
    return weight > 0 ? 1 / std::sqrt(form.sharpest_factor() * weight) : 0.0;
  };
  Matrix<double> around(2 * d, d);
  for (Index j = 0; j < 2 * d; ++j) {
    std::ranges::copy(mean, around.view().row_data(j));
    around(j, j % d) += j < d ? step(j) : -step(j - d);
  }
  Matrix<double> g(2 * d, columns);
  std::vector<double> lengths(2 * d);
  objective.projections(around.view(), g.view(), lengths, run);
  Matrix<double> points(columns, d);
  for (Index c = 0; c < columns; ++c) {
    for (Index j = 0; j < d; ++j) {
      const std::optional<double> ahead = form.squared_distance_of(g(j, c));
      const std::optional<double> behind = form.squared_distance_of(g(d + j, c));
      const double slope = 4 * step(j) * form.squared_weight(j);
      const double shift = slope == 0 ? 0.0 : ahead && behind ? (*behind - *ahead) / slope : no_number;
      points(c, j) = mean[j] + shift;
    }
  }
  return points;
}

}  // namespace

bool has_exact_preimages(const Kernel& kernel) {
  return RadialForm::of(kernel).has_value() || inverse_of_dot(kernel).has_value();
}

PreimageResult exact_preimages(const Kernel& kernel, const Samples& centers, ConstMatrixView<double> coefficients,
                               const Run& run) {
  const PreimageObjective objective(kernel, centers, coefficients, PreimageCriterion::distance, run);
  const Index columns = coefficients.columns();
  Matrix<double> points;
  if (objective.radial()) {
    points = from_distances(objective, columns, run);
  } else if (const std::optional<Inverse> inverse = inverse_of_dot(kernel)) {
    points = from_products(objective, *inverse, columns, run);
  } else {
    throw InvalidArgument("the kernel " + kernel.spec() +
                          " has no exact pre-images in closed form; linear, poly of odd degree, sigmoid and kernels of "
                          "one distance have, for others use preimages()");
  }
  return measure_preimages(objective, coefficients, std::move(points), run);
}

}  // namespace mercer
