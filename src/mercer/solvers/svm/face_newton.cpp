#include "mercer/solvers/svm/face_newton.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "mercer/linalg/blas.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/product.h"

namespace mercer {

namespace {

// K_FF + shift + δ, factored; δ covers what rounding of the kernel values can take from its eigenvalues.
template <class T>
bool factor_face(ConstMatrixView<T> kernel, std::span<const Index> free, double shift, Matrix<double>& factor,
                 const Run& run) {
  const auto m = static_cast<Index>(free.size());
  double size = 0;
  for (const Index t : free) {
    size += std::abs(static_cast<double>(kernel(free[0], t))) / static_cast<double>(m);
  }
  double ridge = std::numeric_limits<T>::epsilon() * size * std::sqrt(static_cast<double>(m)) / 2;
  for (int attempt = 0; attempt < 3; ++attempt, ridge *= 30) {
    factor = Matrix<double>(m, m);
    for (Index a = 0; a < m; ++a) {
      const T* const from = kernel.row_data(free[a]);
      double* const to = factor.data() + a * m;
      for (Index b = 0; b <= a; ++b) {
        to[b] = static_cast<double>(from[free[b]]) + shift;
      }
      to[a] += ridge;
    }
    if (try_cholesky(factor.view(), run).ok) {
      return true;
    }
  }
  return false;
}

class Face {
 public:
  Face(Matrix<double> factor, std::span<const FaceVariable> variables, const Run& run)
      : factor_(std::move(factor)), size_(factor_.rows()), run_(run), variables_(variables) {
    for (int group = 0; group < 2; ++group) {
      std::vector<double> ones(variables.size());
      std::transform(variables.begin(), variables.end(), ones.begin(),
                     [&](const FaceVariable& variable) { return variable.group == group ? 1.0 : 0.0; });
      if (std::any_of(ones.begin(), ones.end(), [](double one) { return one != 0; })) {
        cholesky_solve<double>(factor_.view(), std::span<double>(ones), run_);
        totals_.push_back(group_sums(ones));
        ones_.push_back(std::move(ones));
        groups_.push_back(group);
      }
    }
    moves_.resize(variables.size());
    direction_.resize(variables.size());
    for (std::size_t a = 0; a < direction_.size(); ++a) {
      direction_[a] = -variables[a].gradient;
    }
    solve(direction_);
  }

  std::vector<FaceMove> follow() {
    const std::size_t most = static_cast<std::size_t>(size_) / 2 + 8;
    while (true) {
      const Blocking blocking = next_bound();
      advance(std::min(1.0, blocking.reach));
      if (blocking.reach >= 1 || !leave(blocking) || columns_.size() >= most) {
        return std::move(moves_);
      }
    }
  }

 private:
  struct Blocking {
    double reach = std::numeric_limits<double>::infinity();
    std::size_t variable = 0;
    FaceEnd end = FaceEnd::inside;
  };

  // x ← P x of the whole face.
  void solve(std::vector<double>& x) const {
    cholesky_solve<double>(factor_.view(), std::span<double>(x), run_);
    project(x);
  }

  std::array<double, 2> group_sums(const std::vector<double>& x) const {
    std::array<double, 2> sums{};
    for (std::size_t a = 0; a < x.size(); ++a) {
      sums[variables_[a].group] += x[a];
    }
    return sums;
  }

  // x ← x − M1 (1ᵀM1)⁻¹ 1ᵀx, the sums of its groups made 0.
  void project(std::vector<double>& x) const {
    const std::array<double, 2> sums = group_sums(x);
    if (groups_.size() == 1) {
      const auto g = static_cast<std::size_t>(groups_[0]);
      axpy(-sums[g] / totals_[0][g], std::span<const double>(ones_[0]), std::span<double>(x));
      return;
    }
    const double a = totals_[0][0];
    const double b = totals_[1][0];
    const double c = totals_[0][1];
    const double d = totals_[1][1];
    const double determinant = a * d - b * c;
    axpy(-(d * sums[0] - b * sums[1]) / determinant, std::span<const double>(ones_[0]), std::span<double>(x));
    axpy(-(a * sums[1] - c * sums[0]) / determinant, std::span<const double>(ones_[1]), std::span<double>(x));
  }

  // P_r of the whole face. After so many that their solves took as long, the inverse is computed.
  std::vector<double> column_of_inverse(std::size_t r) {
    constexpr Index solves_per_inverse = 15;  // for a face of 15 variables
    if (!has_inverse_ && static_cast<Index>(columns_.size()) > size_ / solves_per_inverse) {
      cholesky_inverse<double>(factor_.view(), run_);
      mirror_lower<double>(factor_.view(), run_);
      has_inverse_ = true;
    }
    std::vector<double> column(direction_.size(), 0.0);
    if (has_inverse_) {
      std::copy_n(factor_.data() + static_cast<Index>(r) * size_, size_, column.begin());
      project(column);
    } else {
      column[r] = 1;
      solve(column);
    }
    return column;
  }

  Blocking next_bound() const {
    Blocking found;
    for (std::size_t a = 0; a < direction_.size(); ++a) {
      const double d = direction_[a];
      if (d == 0 || moves_[a].end != FaceEnd::inside) {
        continue;
      }
      const double room = d > 0 ? variables_[a].above - moves_[a].change : -(variables_[a].below + moves_[a].change);
      const double reach = std::max(0.0, room / d);
      if (reach < found.reach) {
        found = {reach, a, d > 0 ? FaceEnd::upper : FaceEnd::lower};
      }
    }
    return found;
  }

  void advance(double length) {
    for (std::size_t a = 0; a < direction_.size(); ++a) {
      if (moves_[a].end == FaceEnd::inside) {
        moves_[a].change += length * direction_[a];
      }
      direction_[a] *= 1 - length;
    }
  }

  // False: nothing is left to move.
  bool leave(const Blocking& blocking) {
    const std::size_t r = blocking.variable;
    moves_[r].end = blocking.end;
    std::vector<double> column = column_of_inverse(r);
    for (const std::vector<double>& earlier : columns_) {
      axpy(-earlier[r], std::span<const double>(earlier), std::span<double>(column));
    }
    if (!(column[r] > 0)) {
      return false;
    }
    axpy(-direction_[r] / column[r], std::span<const double>(column), std::span<double>(direction_));
    direction_[r] = 0;
    mercer::scale(1 / std::sqrt(column[r]), std::span<double>(column));
    columns_.push_back(std::move(column));
    return true;
  }

  Matrix<double> factor_;  // or the inverse
  bool has_inverse_ = false;
  Index size_;
  const Run& run_;
  std::span<const FaceVariable> variables_;
  std::vector<int> groups_;                    // that have variables
  std::vector<std::vector<double>> ones_;      // M1 of each
  std::vector<std::array<double, 2>> totals_;  // its sums over the groups: 1ᵀM1
  std::vector<FaceMove> moves_;
  std::vector<double> direction_;
  std::vector<std::vector<double>> columns_;  // P_r/√P_rr of the variables that left, each after those before it
};

}  // namespace

template <class T>
std::vector<FaceMove> newton_moves(ConstMatrixView<T> kernel, std::span<const Index> free, double shift,
                                   std::span<const FaceVariable> variables, const Run& run) {
  Matrix<double> factor;
  if (free.size() < 2 || !factor_face(kernel, free, shift, factor, run)) {
    return {};
  }
  return Face(std::move(factor), variables, run).follow();
}

template std::vector<FaceMove> newton_moves(ConstMatrixView<float>, std::span<const Index>, double,
                                            std::span<const FaceVariable>, const Run&);
template std::vector<FaceMove> newton_moves(ConstMatrixView<double>, std::span<const Index>, double,
                                            std::span<const FaceVariable>, const Run&);

}  // namespace mercer
