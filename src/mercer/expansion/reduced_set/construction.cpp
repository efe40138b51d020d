#include "mercer/expansion/reduced_set/construction.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "mercer/base/error.h"
#include "mercer/expansion/preimage_points.h"
#include "mercer/gram/cross_gram.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/cholesky_update.h"

namespace mercer {

namespace {

// Below this share of k(z, z) outside the span of the earlier points, a point is one of them.
constexpr double least_new_part = 1e-7;
// Gains below this share of Σ‖Ψ‖² are rounding.
constexpr double least_gain = 1e-14;

// A candidate for the next point, seen from the points so far.
struct Candidate {
  Index row = -1;
  std::vector<double> products;  // L⁻¹k(z_j, z)
  double pivot = 0;              // √ of the squared distance of Φ(z) from the span
  double gain = 0;               // by how much Σ‖R‖² falls
};

class Construction {
 public:
  Construction(const ReductionTarget& target, const ConstructionOptions& options, const Run& run)
      : target_(target),
        options_(options),
        run_(run),
        center_points_(points_of(target.centers())),
        points_(options.size, center_points_.columns()),
        missing_(Matrix<double>::copy_of(target.values())),
        left_(static_cast<std::size_t>(target.size())) {
    target.kernel().node().diagonal(target.prepared()->reference(), {0, target.size()}, left_);
    lengths_ = left_;
    history_.push_back(target.total_squared_norm());
  }

  ConstructedSet result() {
    const double enough = options_.tolerance * target_.total_squared_norm();
    while (count_ < options_.size && history_.back() > enough && add_point()) {
      run_.progress("constructing", static_cast<double>(count_), static_cast<double>(options_.size));
    }
    ConstructedSet built;
    built.points = Matrix<double>::copy_of(points_.view().row_block({0, count_}));
    built.set = fit_coefficients(target_, points_like(target_.centers(), built.points.view()), run_);
    built.history = history_;
    return built;
  }

 private:
  // The centres that would lower the error most, Σ_o R_o(x)²/d(x), d the squared distance from the span.
  Matrix<double> starts() const {
    std::vector<double> gains(target_.size(), 0.0);
    for (std::size_t i = 0; i < gains.size(); ++i) {
      const std::span<const double> row = missing_.view().row(static_cast<Index>(i));
      gains[i] = left_[i] > least_new_part * lengths_[i] ? dot(row, row) / left_[i] : 0.0;
    }
    std::vector<Index> order(gains.size());
    std::iota(order.begin(), order.end(), Index{0});
    const Index wanted = std::min(options_.starts, target_.size());
    std::partial_sort(order.begin(), order.begin() + wanted, order.end(), [&](Index a, Index b) {
      const double at_a = gains[a];
      const double at_b = gains[b];
      return at_a > at_b || (at_a == at_b && a < b);
    });
    Matrix<double> chosen(wanted, center_points_.columns());
    for (Index s = 0; s < wanted; ++s) {
      std::ranges::copy(center_points_.view().row(order[s]), chosen.view().row_data(s));
    }
    return chosen;
  }

  // Ψ − Ψ' as one expansion: the target's centres and the points so far.
  PreimageObjective residual() const {
    const Index m = target_.size();
    Matrix<double> all(m + count_, center_points_.columns());
    Matrix<double> coefficients(m + count_, target_.outputs());
    for (Index i = 0; i < m; ++i) {
      std::ranges::copy(center_points_.view().row(i), all.view().row_data(i));
      std::ranges::copy(target_.coefficients().row(i), coefficients.view().row_data(i));
    }
    for (Index j = 0; j < count_; ++j) {
      std::ranges::copy(points_.view().row(j), all.view().row_data(m + j));
    }
    for (Index o = 0; o < target_.outputs(); ++o) {
      std::vector<double> beta(count_);
      for (Index j = 0; j < count_; ++j) {
        beta[j] = along_[j][o];
      }
      factor_.substitute(Transpose::yes, beta);
      for (Index j = 0; j < count_; ++j) {
        coefficients(m + j, o) = -beta[j];
      }
    }
    return {target_.kernel(), points_like(target_.centers(), all.view()), coefficients.view(),
            PreimageCriterion::direction, run_};
  }

  // Whether there was a point to add: the best of the pre-images and of the starts themselves, since a pre-image makes
  // R(z)²/k(z, z) large, not what the error falls by.
  bool add_point() {
    const Matrix<double> from = starts();
    const std::vector<OutputRange> outputs(from.rows(), OutputRange{0, target_.outputs()});
    const PreimageObjective objective = residual();
    const PreimageSearch found = descend(objective, from.view(), outputs, options_.preimage, run_.quiet());
    Matrix<double> candidates(2 * from.rows(), from.columns());
    for (Index s = 0; s < from.rows(); ++s) {
      std::ranges::copy(from.view().row(s), candidates.view().row_data(s));
      const std::span<const double> point = found.points.view().row(s);
      const bool usable = std::ranges::all_of(point, [](double value) { return std::isfinite(value); });
      std::ranges::copy(usable ? point : from.view().row(s), candidates.view().row_data(from.rows() + s));
    }
    Matrix<double> h(candidates.rows(), target_.outputs());
    std::vector<double> lengths(candidates.rows());
    objective.projections(candidates.view(), h.view(), lengths, run_);
    Candidate best;
    for (Candidate& candidate : seen_from_points(candidates.view(), lengths)) {
      const std::span<const double> row = h.view().row(candidate.row);
      candidate.gain = dot(row, row) / (candidate.pivot * candidate.pivot);
      if (candidate.gain > best.gain) {
        best = std::move(candidate);
      }
    }
    if (best.row < 0 || best.gain <= least_gain * history_.front()) {
      return false;
    }
    take(candidates.view().row(best.row), best, h.view().row(best.row));
    return true;
  }

  // Those that are not in the span already.
  std::vector<Candidate> seen_from_points(ConstMatrixView<double> candidates, std::span<const double> lengths) const {
    Matrix<double> k(candidates.rows(), count_);
    if (count_ > 0) {
      const auto prepared = std::make_shared<const PreparedKernel>(
          target_.kernel(), points_like(target_.centers(), points_.view().row_block({0, count_})),
          Precision::double_precision, run_);
      CrossGram<double>(prepared, points_like(target_.centers(), candidates), run_).evaluate(k.view(), run_);
    }
    std::vector<Candidate> seen;
    for (Index i = 0; i < candidates.rows(); ++i) {
      Candidate candidate{.row = i, .products = {k.view().row(i).begin(), k.view().row(i).end()}};
      factor_.substitute(Transpose::no, candidate.products);
      const double length = lengths[i];
      const double left = length - dot(candidate.products, candidate.products);
      if (left > least_new_part * length) {
        candidate.pivot = std::sqrt(left);
        seen.push_back(std::move(candidate));
      }
    }
    return seen;
  }

  void take(std::span<const double> point, const Candidate& candidate, std::span<const double> h) {
    std::ranges::copy(point, points_.view().row_data(count_));
    // The new direction v, orthonormal to the earlier ones, at the centres.
    std::vector<double> direction(target_.size());
    CrossGram<double>(target_.prepared(),
                      points_like(target_.centers(), points_.view().row_block({count_, count_ + 1})), run_)
        .evaluate(MatrixView<double>(direction.data(), 1, target_.size()), run_);
    for (std::size_t j = 0; j < directions_.size(); ++j) {
      axpy(-candidate.products[j], directions_[j], direction);
    }
    scale(1 / candidate.pivot, direction);
    std::vector<double> along(h.begin(), h.end());  // ⟨R_o, v⟩
    scale(1 / candidate.pivot, along);
    for (Index i = 0; i < target_.size(); ++i) {
      const double value = direction[i];
      axpy(-value, along, missing_.view().row(i));
      left_[i] -= value * value;
    }
    factor_.append_factored(candidate.products, candidate.pivot);
    history_.push_back(std::max(0.0, history_.back() - dot(along, along)));
    directions_.push_back(std::move(direction));
    along_.push_back(std::move(along));
    ++count_;
  }

  const ReductionTarget& target_;
  const ConstructionOptions& options_;
  const Run& run_;
  Matrix<double> center_points_;
  Matrix<double> points_;
  Index count_ = 0;
  Matrix<double> missing_;                       // R_o at the centres
  std::vector<double> lengths_;                  // k(x, x)
  std::vector<double> left_;                     // squared distances of the centres from the span
  GrowingCholesky factor_;                       // of K^z
  std::vector<std::vector<double>> directions_;  // orthonormal in the kernel's space, at the centres
  std::vector<std::vector<double>> along_;       // ⟨Ψ_o, v_j⟩
  std::vector<double> history_;
};

}  // namespace

void ConstructionOptions::validate() const {
  preimage.validate();
  if (size < 0) {
    reject_argument("size", static_cast<double>(size), "0 or more");
  }
  if (starts < 1) {
    reject_argument("starts", static_cast<double>(starts), "1 or more");
  }
  if (!(tolerance >= 0)) {
    reject_argument("tolerance", tolerance, "0 or more");
  }
  if (preimage.criterion != PreimageCriterion::direction) {
    throw InvalidArgument("the points of a reduced set have coefficients: their criterion is direction");
  }
}

ConstructedSet construct(const ReductionTarget& target, const ConstructionOptions& options, const Run& run) {
  options.validate();
  require_numeric_points(target.centers());
  if (!target.kernel().node().has_input_derivatives()) {
    no_input_derivatives(target.kernel().node());
  }
  return Construction(target, options, run).result();
}

}  // namespace mercer
