#include "mercer/select/path/svc_path_state.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"

namespace mercer {

namespace {

// A pivot below this, relative to its diagonal entry, is rounding: the row depends on the others.
constexpr double dependence = 1e-11;

}  // namespace

SvcPathState::SvcPathState(ConstMatrixView<double> kernel, std::span<const double> signs,
                           std::span<const double> weights)
    : kernel_(kernel),
      signs_(signs),
      weights_(weights),
      alpha_(signs.size(), 0.0),
      values_(signs.size(), 0.0),
      kind_(signs.size(), RowKind::zero) {
  for (Index i = 0; i < size(); ++i) {
    shift_ = std::max(shift_, std::abs(kernel_(i, i)));
  }
  shift_ = shift_ > 0 ? shift_ : 1;
}

// K_EE x + a_0 e = beta, eᵀx = sum: x replaces beta. With A = K_EE + c eeᵀ the first is A x + a_0 e = beta + c·sum·e.
void SvcPathState::solve(std::span<double> beta, double& offset, double sum) const {
  std::vector<double> ones(beta.size(), 1.0);
  for (double& value : beta) {
    value += shift_ * sum;
  }
  for (const std::span<double> x : {std::span<double>(ones), beta}) {
    factor_.substitute(Transpose::no, x);
    factor_.substitute(Transpose::yes, x);
  }
  const double total = std::accumulate(ones.begin(), ones.end(), 0.0);
  offset = (std::accumulate(beta.begin(), beta.end(), 0.0) - sum) / total;
  for (std::size_t i = 0; i < beta.size(); ++i) {
    beta[i] -= offset * ones[i];
  }
}

// out += Σ_E beta_i K_i.
void SvcPathState::add_multiples(std::span<const double> beta, std::span<double> out) const {
  for (std::size_t e = 0; e < margin_.size(); ++e) {
    const double* row = kernel_.row_data(margin_[e]);
    for (std::size_t k = 0; k < out.size(); ++k) {
      out[k] += beta[e] * row[k];
    }
  }
}

void SvcPathState::refresh() {
  const auto recompute = [&] {
    std::fill(values_.begin(), values_.end(), 0.0);
    for (Index i = 0; i < size(); ++i) {
      const double beta = sign(i) * alpha(i);
      const double* row = kernel_.row_data(i);
      for (std::size_t k = 0; beta != 0 && k < values_.size(); ++k) {
        values_[k] += beta * row[k];
      }
    }
  };
  recompute();
  if (margin_.empty()) {
    return;
  }
  std::vector<double> change;
  for (const Index i : margin_) {
    change.push_back(lambda_ * sign(i) - value(i));
  }
  double sum = 0;
  for (Index i = 0; i < size(); ++i) {
    sum += sign(i) * alpha(i);
  }
  solve(change, offset_, -sum);
  for (std::size_t e = 0; e < margin_.size(); ++e) {
    alpha_[margin_[e]] += sign(margin_[e]) * change[e];
  }
  add_multiples(change, values_);
}

SvcPathState::Direction SvcPathState::direction() const {
  Direction direction;
  for (const Index i : margin_) {
    direction.beta.push_back(sign(i));
  }
  if (!margin_.empty()) {
    solve(direction.beta, direction.offset, 0);
  }
  direction.values.assign(values_.size(), direction.offset);
  add_multiples(direction.beta, direction.values);
  return direction;
}

void SvcPathState::advance(double step, const Direction& direction) {
  for (std::size_t e = 0; e < margin_.size(); ++e) {
    alpha_[margin_[e]] -= step * sign(margin_[e]) * direction.beta[e];
  }
  for (std::size_t k = 0; k < values_.size(); ++k) {
    values_[k] -= step * (direction.values[k] - direction.offset);
  }
  offset_ -= step * direction.offset;
  lambda_ -= step;
}

void SvcPathState::leave(std::size_t position, RowKind kind) {
  const auto row = static_cast<std::size_t>(margin_[position]);
  kind_[row] = kind;
  alpha_[row] = kind == RowKind::zero ? 0.0 : weights_[row];
  margin_.erase(margin_.begin() + static_cast<std::ptrdiff_t>(position));
  factor_.remove(static_cast<Index>(position));
}

// The squared pivot that `row` would have, and L⁻¹ of its part of K_EE + c eeᵀ.
double SvcPathState::pivot_of(Index row, std::vector<double>& substituted) const {
  substituted.clear();
  for (const Index i : margin_) {
    substituted.push_back(kernel(row, i) + shift_);
  }
  factor_.substitute(Transpose::no, substituted);
  return kernel(row, row) + shift_ -
         std::inner_product(substituted.begin(), substituted.end(), substituted.begin(), 0.0);
}

std::vector<Index> SvcPathState::enter(Index row) {
  std::vector<Index> changed;
  const auto at = static_cast<std::size_t>(row);
  std::vector<double> part;
  // Every exchange takes a row out of the margin, so that there are at most as many as rows there.
  while (true) {
    const double pivot = pivot_of(row, part);
    if (pivot > dependence * (kernel(row, row) + shift_)) {
      factor_.append_factored(part, std::sqrt(pivot));
      margin_.push_back(row);
      kind_[at] = RowKind::margin;
      changed.push_back(row);
      return changed;
    }
    if (pivot < -1e-6 * (kernel(row, row) + shift_)) {
      throw NumericalError(
          "regularisation path: the kernel matrix is not positive on the rows of the margin. Use a "
          "positive definite kernel");
    }
    // Φ(row) = Σ part_i Φ(margin_i): what row gains, the others lose in these parts.
    factor_.substitute(Transpose::yes, part);
    const double inward = kind(row) == RowKind::bound ? -1.0 : 1.0;
    double step = inward > 0 ? weight(row) - alpha(row) : alpha(row);
    std::size_t blocking = margin_.size();
    RowKind end = RowKind::zero;
    for (std::size_t e = 0; e < margin_.size(); ++e) {
      const Index i = margin_[e];
      const double rate = -inward * sign(row) * sign(i) * part[e];
      const double room = rate > 0 ? weight(i) - alpha(i) : alpha(i);
      if (std::abs(rate) > 1e-9 && std::max(0.0, room) / std::abs(rate) < step) {
        step = std::max(0.0, room) / std::abs(rate);
        blocking = e;
        end = rate > 0 ? RowKind::bound : RowKind::zero;
      }
    }
    for (std::size_t e = 0; e < margin_.size(); ++e) {
      alpha_[margin_[e]] -= step * inward * sign(row) * sign(margin_[e]) * part[e];
    }
    alpha_[at] += inward * step;
    if (blocking == margin_.size()) {
      kind_[at] = inward > 0 ? RowKind::bound : RowKind::zero;
      alpha_[at] = inward > 0 ? weight(row) : 0.0;
      changed.push_back(row);
      return changed;
    }
    changed.push_back(margin_[blocking]);
    leave(blocking, end);
  }
}

void SvcPathState::place(std::span<const double> alpha, double slip) {
  margin_.clear();
  factor_ = {};
  std::vector<Index> inside;
  for (Index i = 0; i < size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const bool low = alpha[at] <= slip * weights_[at];
    const bool high = alpha[at] >= (1 - slip) * weights_[at];
    alpha_[at] = low ? 0.0 : high ? weights_[at] : alpha[at];
    kind_[at] = high ? RowKind::bound : RowKind::zero;
    if (!low && !high) {
      inside.push_back(i);
    }
  }
  for (const Index i : inside) {
    enter(i);
  }
  refresh();
}

}  // namespace mercer
