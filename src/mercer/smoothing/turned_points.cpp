#include "mercer/smoothing/turned_points.h"

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

Bandwidth turned_bandwidth(const Bandwidth& bandwidth, std::span<const Index> order) {
  if (!bandwidth.is_diagonal()) {
    return bandwidth.marginal(order);
  }
  std::vector<double> widths;  // as they are, not as a root of their squares
  for (const Index column : order) {
    widths.push_back(bandwidth.width(column));
  }
  return Bandwidth::diagonal(std::move(widths));
}

}  // namespace

Matrix<double> TurnedPoints::whitened(ConstMatrixView<double> places) const {
  // L is a lower triangle: the coordinates behind have no say in those before.
  Matrix<double> whole = Matrix<double>::filled(places.rows(), bandwidth.dimension(), 0.0);
  for (Index i = 0; i < places.rows(); ++i) {
    std::copy_n(places.row_data(i), places.columns(), whole.view().row_data(i));
  }
  whole = bandwidth.whiten(whole.view());
  Matrix<double> result(places.rows(), places.columns());
  for (Index i = 0; i < places.rows(); ++i) {
    for (Index j = 0; j < places.columns(); ++j) {
      const bool turns = !bounds.empty() && !std::isnan(bounds[j].period);
      result(i, j) = turns ? folded(whole(i, j), bounds[j]) : whole(i, j);
    }
  }
  return result;
}

TurnedPoints turned_points(const KernelDensity& density, std::span<const Index> order, Index kept) {
  const KernelDensity::Parts& parts = density.parts();
  TurnedPoints result{.bandwidth = turned_bandwidth(parts.bandwidth, order), .bounds = {}, .images = {}};
  Matrix<double> points(density.size(), density.dimension());
  for (Index i = 0; i < points.rows(); ++i) {
    for (std::size_t j = 0; j < order.size(); ++j) {
      points(i, static_cast<Index>(j)) = parts.points(i, order[j]);
    }
  }
  points = result.bandwidth.whiten(points.view());
  result.bounds.resize(parts.bounds.empty() ? 0 : order.size());
  for (Index j = 0; j < kept && !result.bounds.empty(); ++j) {
    const AxisBounds& ends = parts.bounds[order[j]];
    AxisBounds& turned = result.bounds[j];
    const double width = result.bandwidth.width(j);
    turned.lower = ends.lower / width;
    turned.upper = ends.upper / width;
    turned.period = ends.period / width;
    for (Index i = 0; i < points.rows(); ++i) {  // points on an end stay there whatever the division rounded
      double& u = points(i, j);
      u = u < turned.lower ? turned.lower : u > turned.upper ? turned.upper : u;
    }
  }
  const double largest = parts.scales.empty() ? 1.0 : *std::max_element(parts.scales.begin(), parts.scales.end());
  result.images = with_images(points.view(), result.bounds, density.kernel(), largest);
  return result;
}

}  // namespace mercer
