#include "mercer/theory/losses/density_loss.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/linalg/gauss_rule.h"

namespace mercer {

namespace {

[[noreturn]] void reject_table(const std::string& what) { throw InvalidArgument("table of a noise density: " + what); }

void require_table(const NoiseTable& table) {
  const std::size_t count = table.residuals.size();
  if (count < 3 || table.densities.size() != count) {
    reject_table(std::to_string(count) + " residuals with " + std::to_string(table.densities.size()) +
                 " densities; there must be at least 3 of each, as many of one as of the other");
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::string row = "row " + std::to_string(i + 1) + " ";
    if (!std::isfinite(table.residuals[i])) {
      reject_table(row + "has a residual that is not finite");
    }
    if (i > 0 && !(table.residuals[i] > table.residuals[i - 1])) {
      reject_table(row + "has the residual " + shortest(table.residuals[i]) + " after " +
                   shortest(table.residuals[i - 1]) + ": they must ascend");
    }
    if (!(table.densities[i] > 0 && std::isfinite(table.densities[i]))) {
      reject_table(row + "has the density " + shortest(table.densities[i]) +
                   ": it must be positive and finite; leave rows of density 0 at the ends out");
    }
  }
  if (!(table.residuals.front() < 0 && table.residuals.back() > 0)) {
    reject_table("the residuals run from " + shortest(table.residuals.front()) + " to " +
                 shortest(table.residuals.back()) + "; they must reach to both sides of 0");
  }
}

/// How a spline ends: without bend, or with the slope of the last two rows.
enum class SplineEnd { natural, secant };

/// The second derivatives M at the knots of the cubic spline: 0 at a natural end, M_0 = −M_1/2 at the other kind. A
/// tridiagonal system of the inner knots, by elimination.
std::vector<double> spline_bends(const std::vector<double>& x, const std::vector<double>& y, SplineEnd first,
                                 SplineEnd last) {
  const std::size_t n = x.size();
  std::vector<double> bends(n, 0.0);
  std::vector<double> diagonal(n, 1.0);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double before = x[i] - x[i - 1];
    const double after = x[i + 1] - x[i];
    const double factor = i > 1 ? before / diagonal[i - 1] : 0.0;
    const double ends = (i == 1 && first == SplineEnd::secant ? before / 2 : 0.0) +
                        (i + 2 == n && last == SplineEnd::secant ? after / 2 : 0.0);
    diagonal[i] = 2 * (before + after) - ends - factor * (i > 1 ? before : 0.0);
    bends[i] = 6 * ((y[i + 1] - y[i]) / after - (y[i] - y[i - 1]) / before) - factor * bends[i - 1];
  }
  for (std::size_t i = n - 1; i-- > 1;) {
    const double next = i + 2 == n ? 0.0 : (x[i + 1] - x[i]) * bends[i + 1];
    bends[i] = (bends[i] - next) / diagonal[i];
  }
  bends.front() = first == SplineEnd::secant ? -bends[1] / 2 : 0.0;
  bends.back() = last == SplineEnd::secant ? -bends[n - 2] / 2 : 0.0;
  return bends;
}

}  // namespace

NoiseTable tabulate_density(const std::function<double(double)>& density, double lower, double upper, int count) {
  if (!(lower < upper) || count < 3) {
    reject_table("a grid of " + std::to_string(count) + " residuals from " + shortest(lower) + " to " +
                 shortest(upper) + "; it needs at least 3, from a lower to a higher one");
  }
  NoiseTable table;
  for (int i = 0; i < count; ++i) {
    // 0 is hit exactly where the grid is symmetric.
    const double share = static_cast<double>(i) / (count - 1);
    table.residuals.push_back(lower * (1 - share) + upper * share);
    table.densities.push_back(density(table.residuals.back()));
  }
  while (!table.densities.empty() && table.densities.back() == 0) {
    table.residuals.pop_back();
    table.densities.pop_back();
  }
  const auto first = std::ranges::find_if(table.densities, [](double p) { return p != 0; }) - table.densities.begin();
  table.residuals.erase(table.residuals.begin(), table.residuals.begin() + first);
  table.densities.erase(table.densities.begin(), table.densities.begin() + first);
  return table;
}

DensityLoss::DensityLoss(const NoiseTable& table) : knots_(table.residuals) {
  require_table(table);
  double largest = 0;
  for (const double density : table.densities) {
    values_.push_back(-std::log(density));
    largest = std::max(largest, std::abs(values_.back()));
  }
  bends_ = spline_bends(knots_, values_, SplineEnd::natural, SplineEnd::natural);
  // In a long last interval the natural spline may turn round, where the table does not.
  const SplineEnd first = at(knots_.front()).slope > 0 ? SplineEnd::secant : SplineEnd::natural;
  const SplineEnd last = at(knots_.back()).slope < 0 ? SplineEnd::secant : SplineEnd::natural;
  bends_ = spline_bends(knots_, values_, first, last);
  origin_ = at(0).value;
  require_falling_ends(largest);
  // Bends are linear between knots; below this they are rounding of the values.
  const double rounding = 1e-9 * *std::ranges::max_element(bends_, {}, [](double b) { return std::abs(b); });
  convex_ = std::ranges::all_of(bends_, [&](double b) { return b >= -std::abs(rounding); });
}

// Where a loss falls outward it has no minimum.
void DensityLoss::require_falling_ends(double largest) const {
  const double rounding = 1e-9 * largest / (knots_.back() - knots_.front());
  if (at(knots_.front()).slope > rounding || at(knots_.back()).slope < -rounding) {
    reject_table(
        "the density grows outward at an end, so that its loss has no minimum; go on with the table until "
        "the density falls");
  }
}

SmoothPart DensityLoss::at(double x) const {
  const double inside = std::clamp(x, knots_.front(), knots_.back());
  const auto after = std::upper_bound(knots_.begin() + 1, knots_.end() - 1, inside);
  const auto right = static_cast<std::size_t>(after - knots_.begin());
  const std::size_t left = right - 1;
  const double width = knots_[right] - knots_[left];
  const double a = (knots_[right] - inside) / width;
  const double b = (inside - knots_[left]) / width;
  const double sixth = width * width / 6;
  const double value = a * values_[left] + b * values_[right] +
                       sixth * ((a * a * a - a) * bends_[left] + (b * b * b - b) * bends_[right]);
  const double slope = (values_[right] - values_[left]) / width +
                       width / 6 * ((3 * b * b - 1) * bends_[right] - (3 * a * a - 1) * bends_[left]);
  if (x == inside) {
    return {value, slope, a * bends_[left] + b * bends_[right]};
  }
  return {value + slope * (x - inside), slope, 0};
}

SlopeRange DensityLoss::slopes(double x) const {
  const double slope = at(x).slope;
  return {slope, slope};
}

std::optional<double> DensityLoss::normalizer() const {
  const SmoothPart first = at(knots_.front());
  const SmoothPart last = at(knots_.back());
  if (!(first.slope < 0 && last.slope > 0)) {
    return std::nullopt;  // a tail that does not fall
  }
  double sum = std::exp(origin_ - first.value) / -first.slope + std::exp(origin_ - last.value) / last.slope;
  static const GaussRule rule = legendre_rule(16);
  for (std::size_t i = 1; i < knots_.size(); ++i) {
    const double half = 0.5 * (knots_[i] - knots_[i - 1]);
    const double middle = 0.5 * (knots_[i] + knots_[i - 1]);
    for (std::size_t k = 0; k < rule.nodes.size(); ++k) {
      sum += 2 * half * rule.weights[k] * std::exp(-value(middle + half * rule.nodes[k]));
    }
  }
  return sum;
}

}  // namespace mercer
