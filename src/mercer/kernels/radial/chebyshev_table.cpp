#include "mercer/kernels/radial/chebyshev_table.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <ranges>

namespace mercer {

namespace {

constexpr int node_count = 80;

// θ of node j, and the variable x = 2θ/π − 1 of the polynomials.
double node(int j) { return std::cos(std::numbers::pi * (j + 0.5) / node_count); }
double angle_of(double x) { return (x + 1) * std::numbers::pi / 2; }
double radius_of(double begin, double end, double angle) {
  const double half = std::sin(angle / 2);
  return begin + (end - begin) * half * half;
}

// Σ' c_k T_k through the values at the nodes; coefficients that do not count are dropped.
std::vector<double> series_of(const std::vector<double>& values) {
  std::vector<double> series(node_count);
  double largest = 0;
  for (int k = 0; k < node_count; ++k) {
    double sum = 0;
    for (int j = 0; j < node_count; ++j) {
      sum += values[j] * std::cos(std::numbers::pi * k * (j + 0.5) / node_count);
    }
    series[k] = sum * (k == 0 ? 1.0 : 2.0) / node_count;
    largest = std::max(largest, std::abs(series[k]));
  }
  while (series.size() > 1 && std::abs(series.back()) <= 2e-17 * largest) {
    series.pop_back();
  }
  return series;
}

// Clenshaw's recursion.
double sum_of(const std::vector<double>& series, double x) {
  double next = 0;
  double after = 0;
  for (std::size_t k = series.size(); k-- > 1;) {
    const double current = 2 * x * next - after + series[k];
    after = next;
    next = current;
  }
  return x * next - after + series[0];
}

// d/dx Σ c_k T_k = Σ d_k T_k, d_{k−1} = d_{k+1} + 2k c_k
std::vector<double> derivative_of(const std::vector<double>& series) {
  std::vector<double> slope(series.size() + 1, 0.0);
  for (std::size_t k = series.size(); k-- > 1;) {
    slope[k - 1] = slope[k + 1] + 2 * static_cast<double>(k) * series[k];
  }
  slope[0] /= 2;
  return slope;
}

// ∫_x^1 Σ c_k T_k = Σ s_k T_k
std::vector<double> integral_of(std::vector<double> series) {
  series.resize(series.size() + 2, 0.0);
  std::vector<double> sum(series.size() - 1, 0.0);
  double at_one = 0;
  for (std::size_t k = 1; k < sum.size(); ++k) {
    const double below = k == 1 ? 2 * series[0] : series[k - 1];
    sum[k] = -(below - series[k + 1]) / (2 * static_cast<double>(k));
    at_one += sum[k];
  }
  sum[0] = -at_one;
  return sum;
}

template <class F>
std::vector<double> at_nodes(F f) {
  std::vector<double> values;
  for (int j = 0; j < node_count; ++j) {
    values.push_back(f(angle_of(node(j))));
  }
  return values;
}

}  // namespace

ChebyshevTable::ChebyshevTable(const std::vector<double>& knots, double decay, const Function& f) : decay_(decay) {
  for (std::size_t i = 0; i + 1 < knots.size(); ++i) {
    Piece piece{knots[i], knots[i + 1], {}, {}};
    piece.series = series_of(at_nodes([&](double angle) {
      const double r = radius_of(piece.begin, piece.end, angle);
      const double value = f(r);
      return value > 0 ? std::exp(std::log(value) + decay * r * r) : 0.0;  // the product, where exp(…) would overflow
    }));
    piece.slope = derivative_of(piece.series);
    pieces_.push_back(std::move(piece));
  }
}

ChebyshevTable::Place ChebyshevTable::place(double r) const {
  for (const Piece& piece : pieces_) {
    if (r < piece.end) {
      return {&piece, 2 * std::asin(std::sqrt((r - piece.begin) / (piece.end - piece.begin)))};
    }
  }
  return {};
}

double ChebyshevTable::operator()(double r) const {
  const auto [piece, angle] = place(r);
  return piece == nullptr ? 0.0 : sum_of(piece->series, 2 * angle / std::numbers::pi - 1) * std::exp(-decay_ * r * r);
}

double ChebyshevTable::derivative(double r) const {
  const auto [piece, exact_angle] = place(r);
  if (piece == nullptr) {
    return 0;
  }
  constexpr double margin = 1e-5;  // dr/dθ vanishes at the knots
  const double angle = std::clamp(exact_angle, margin, std::numbers::pi - margin);
  const double x = 2 * angle / std::numbers::pi - 1;
  const double by_r =
      sum_of(piece->slope, x) * 2 / std::numbers::pi / (0.5 * (piece->end - piece->begin) * std::sin(angle));
  return (by_r - 2 * decay_ * r * sum_of(piece->series, x)) * std::exp(-decay_ * r * r);
}

ChebyshevTable ChebyshevTable::integral_to_end(const std::function<double(double s, double value)>& integrand) const {
  ChebyshevTable result;
  result.pieces_ = pieces_;
  double beyond = 0;
  for (Piece& piece : result.pieces_ | std::views::reverse) {
    const double length = piece.end - piece.begin;
    piece.series = integral_of(series_of(at_nodes([&](double angle) {
      const double s = radius_of(piece.begin, piece.end, angle);
      return integrand(s, (*this)(s)) * length / 2 * std::sin(angle) * std::numbers::pi / 2;
    })));
    piece.series[0] += beyond;
    piece.slope = derivative_of(piece.series);
    beyond = sum_of(piece.series, -1);
  }
  return result;
}

}  // namespace mercer
