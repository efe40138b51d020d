// leading_eigenpairs of symmetric_eigen.h.
//
// The basis V and its image AV grow by one block of residuals per step; H = V'AV is solved densely. When the basis is
// full it is replaced by its best Ritz vectors.
#include <algorithm>
#include <cmath>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/linalg/product.h"
#include "mercer/linalg/symmetric_eigen.h"

namespace mercer {

void EigenOptions::validate() const {
  if (!(tolerance >= 0)) {
    reject_argument("tolerance", tolerance, "0 or more");
  }
  if (max_products < 1) {
    reject_argument("max_products", max_products, "1 or more");
  }
}

namespace {

constexpr std::uint64_t start_stream = 0x656967656eULL;

template <class T>
class KrylovBasis {
 public:
  KrylovBasis(const BlockOperator<T>& multiply, Index size, Index count, Index block, const EigenOptions& options,
              const Run& run)
      : multiply_(multiply),
        options_(options),
        run_(run),
        random_(run.seed(), start_stream),
        size_(size),
        count_(count),
        block_(std::min(size, block)),
        capacity_(std::min(size, 4 * block_ + 16)),
        basis_(size, capacity_),
        image_(size, capacity_),
        work_(size, capacity_) {}

  /// The first block: given, or random where `start` has no columns.
  LeadingEigen<T> solve(ConstMatrixView<T> start) {
    LeadingEigen<T> result;
    if (start.columns() > 0) {
      copy(start, columns(basis_, 0, block_));
    } else {
      fill_random(columns(basis_, 0, block_));
    }
    try {
      run_.check_stop();
      result.status = iterate();
    } catch (const Stopped&) {
      result.status = SolveStatus::stopped;
    }
    result.products = products_;
    finish(result);
    return result;
  }

 private:
  MatrixView<T> columns(Matrix<T>& m, Index begin, Index end) { return m.view().block({0, size_}, {begin, end}); }

  SolveStatus iterate() {
    Index added = orthonormalize(0, block_);
    double best = std::numeric_limits<double>::infinity();
    int since_best = 0;
    while (true) {
      apply(used_, used_ + added);
      used_ += added;
      rayleigh_ritz();
      const double worst = residuals();
      if (worst <= options_.tolerance * scale_ || used_ == size_) {
        return SolveStatus::converged;
      }
      since_best = worst < best ? 0 : since_best + 1;
      best = std::min(best, worst);
      // At the level of rounding nothing improves any more.
      if (since_best >= 20 && best <= 100 * static_cast<double>(std::numeric_limits<T>::epsilon()) * scale_) {
        return SolveStatus::stalled;
      }
      if (products_ >= options_.max_products) {
        return SolveStatus::iteration_limit;
      }
      if (used_ + block_ > capacity_ && capacity_ < size_) {
        restart();
      }
      added = expand();
      if (added == 0) {
        return SolveStatus::stalled;
      }
    }
  }

  void fill_random(MatrixView<T> block) {
    for (Index i = 0; i < block.rows(); ++i) {
      fill_normal(random_, block.row(i));
    }
  }

  // Makes basis columns [begin, end) orthonormal to those before and to each other; those that vanish are replaced by
  // random ones. Returns how many there are, which is fewer only where the space is exhausted.
  Index orthonormalize(Index begin, Index end) {
    end = std::min(end, size_);
    for (int pass = 0; pass < 2 && begin > 0; ++pass) {
      Matrix<T> overlap(begin, end - begin);
      parallel_gemm(T{1}, ConstMatrixView<T>(columns(basis_, 0, begin)), Transpose::yes,
                    ConstMatrixView<T>(columns(basis_, begin, end)), Transpose::no, T{0}, overlap.view(), run_);
      parallel_gemm(T{-1}, ConstMatrixView<T>(columns(basis_, 0, begin)), Transpose::no,
                    ConstMatrixView<T>(overlap.view()), Transpose::no, T{1}, columns(basis_, begin, end), run_);
    }
    for (Index j = begin; j < end; ++j) {
      orthonormalize_column(j);
    }
    return end - begin;
  }

  void orthonormalize_column(Index j) {
    std::vector<T> column(size_);
    std::vector<T> overlap(j);
    const ConstMatrixView<T> before = columns(basis_, 0, j);
    for (int attempt = 0;; ++attempt) {
      for (Index i = 0; i < size_; ++i) {
        column[i] = attempt == 0 ? basis_(i, j) : static_cast<T>(random_.normal());
      }
      const double original = static_cast<double>(nrm2(std::span<const T>(column)));
      double norm = original;
      // Orthogonalise until the norm stays: "twice is enough", once more after a replacement.
      for (int pass = 0; pass < 3 && norm > 0; ++pass) {
        gemv(T{1}, before, Transpose::yes, std::span<const T>(column), T{0}, std::span<T>(overlap));
        gemv(T{-1}, before, Transpose::no, std::span<const T>(overlap), T{1}, std::span<T>(column));
        norm = static_cast<double>(nrm2(std::span<const T>(column)));
      }
      const double lost = 1000 * static_cast<double>(std::numeric_limits<T>::epsilon());
      if (norm > lost * original && std::isfinite(norm)) {
        for (Index i = 0; i < size_; ++i) {
          basis_(i, j) = static_cast<T>(static_cast<double>(column[i]) / norm);
        }
        return;
      }
      if (attempt > 10) {
        throw NumericalError("the operator's products are not finite: no eigenpairs");
      }
    }
  }

  // AV for new columns, through packed blocks as the operator expects.
  void apply(Index begin, Index end) {
    run_.check_stop();
    const Matrix<T> packed = Matrix<T>::copy_of(columns(basis_, begin, end));
    Matrix<T> product(size_, end - begin);
    multiply_(packed.view(), product.view());
    copy(product.view(), columns(image_, begin, end));
    ++products_;
  }

  static void copy(ConstMatrixView<T> from, MatrixView<T> to) {
    for (Index i = 0; i < from.rows(); ++i) {
      std::copy_n(from.row_data(i), from.columns(), to.row_data(i));
    }
  }

  // values_ and rotation_: the Ritz pairs, wanted end first.
  void rayleigh_ritz() {
    Matrix<T> h(used_, used_);
    parallel_gemm(T{1}, ConstMatrixView<T>(columns(basis_, 0, used_)), Transpose::yes,
                  ConstMatrixView<T>(columns(image_, 0, used_)), Transpose::no, T{0}, h.view(), run_);
    for (Index i = 0; i < used_; ++i) {
      for (Index j = 0; j < i; ++j) {
        h(i, j) = (h(i, j) + h(j, i)) / 2;
      }
    }
    const SymmetricEigen<T> eigen = symmetric_eigen(ConstMatrixView<T>(h.view()), run_);
    values_.resize(used_);
    rotation_ = Matrix<T>(used_, used_);
    for (Index j = 0; j < used_; ++j) {
      const Index source = options_.end == SpectrumEnd::largest ? used_ - 1 - j : j;
      values_[j] = eigen.values[source];
      scale_ = std::max(scale_, std::abs(static_cast<double>(values_[j])));
      for (Index i = 0; i < used_; ++i) {
        rotation_(i, j) = eigen.vectors(i, source);
      }
    }
  }

  // work_ = AV y - theta V y for the best Ritz pairs; the largest norm among the wanted ones.
  double residuals() {
    const Index kept = std::min(block_, used_);
    rotate(image_, kept, columns(work_, 0, kept));
    Matrix<T> vectors(size_, kept);
    rotate(basis_, kept, vectors.view());
    residuals_.assign(kept, 0.0);
    for (Index i = 0; i < size_; ++i) {
      for (Index j = 0; j < kept; ++j) {
        const auto k = static_cast<std::size_t>(j);
        work_(i, j) -= values_[k] * vectors(i, j);
        residuals_[k] += static_cast<double>(work_(i, j)) * static_cast<double>(work_(i, j));
      }
    }
    double worst = 0;
    for (std::size_t j = 0; j < residuals_.size(); ++j) {
      residuals_[j] = std::sqrt(residuals_[j]);
      worst = static_cast<Index>(j) < count_ ? std::max(worst, residuals_[j]) : worst;
    }
    return worst;
  }

  void rotate(Matrix<T>& from, Index kept, MatrixView<T> to) {
    parallel_gemm(T{1}, ConstMatrixView<T>(columns(from, 0, used_)), Transpose::no,
                  ConstMatrixView<T>(rotation_.view().block({0, used_}, {0, kept})), Transpose::no, T{0}, to, run_);
  }

  // Keeps the best Ritz vectors; the residuals in work_ stay valid.
  void restart() {
    const Index kept = std::min(used_, block_ + block_ / 2 + 4);
    // Both first, then the change: a stop in between must not leave half of it.
    Matrix<T> vectors(size_, kept);
    Matrix<T> images(size_, kept);
    rotate(basis_, kept, vectors.view());
    rotate(image_, kept, images.view());
    copy(vectors.view(), columns(basis_, 0, kept));
    copy(images.view(), columns(image_, 0, kept));
    values_.resize(kept);
    rotation_ = Matrix<T>::filled(kept, kept, T{0});
    for (Index j = 0; j < kept; ++j) {
      rotation_(j, j) = T{1};
    }
    used_ = kept;
  }

  // Residuals of the pairs that have not converged are the new directions.
  Index expand() {
    Index next = used_;
    for (Index j = 0; j < static_cast<Index>(residuals_.size()) && next < capacity_; ++j) {
      if (residuals_[j] > 0.1 * options_.tolerance * scale_) {
        for (Index i = 0; i < size_; ++i) {
          basis_(i, next) = work_(i, j);
        }
        ++next;
      }
    }
    return next > used_ ? orthonormalize(used_, next) : 0;
  }

  void finish(LeadingEigen<T>& result) {
    const Index found = std::min(count_, static_cast<Index>(values_.size()));
    result.values.assign(values_.begin(), values_.begin() + found);
    result.residuals.assign(residuals_.begin(),
                            residuals_.begin() + std::min(found, static_cast<Index>(residuals_.size())));
    result.vectors = Matrix<T>(size_, found);
    if (found > 0) {
      // Serial and without the stop token: a stopped run returns its vectors too.
      const auto order = static_cast<Index>(values_.size());
      gemm(T{1}, ConstMatrixView<T>(columns(basis_, 0, order)), Transpose::no,
           ConstMatrixView<T>(rotation_.view().block({0, order}, {0, found})), Transpose::no, T{0},
           result.vectors.view());
    }
  }

  const BlockOperator<T>& multiply_;
  const EigenOptions& options_;
  const Run& run_;
  RandomStream random_;
  Index size_, count_, block_, capacity_;
  Matrix<T> basis_, image_, work_;
  Index used_ = 0;
  int products_ = 0;
  std::vector<T> values_;
  Matrix<T> rotation_;
  std::vector<double> residuals_;
  double scale_ = 0;
};

}  // namespace

template <class T>
LeadingEigen<T> leading_eigenpairs(const BlockOperator<T>& multiply, Index size, Index count,
                                   const EigenOptions& options, const Run& run) {
  options.validate();
  if (count < 0) {
    reject_argument("count", static_cast<double>(count), "0 or more");
  }
  count = std::min(count, size);
  if (count == 0) {
    LeadingEigen<T> none;
    none.vectors = Matrix<T>(size, 0);
    return none;
  }
  const Index block = count + std::max<Index>(2, count / 4);
  return KrylovBasis<T>(multiply, size, count, block, options, run).solve({});
}

template <class T>
LeadingEigen<T> leading_eigenpairs(const BlockOperator<T>& multiply, ConstMatrixViewOf<T> start, Index count,
                                   const EigenOptions& options, const Run& run) {
  options.validate();
  if (count < 1 || count > start.columns() || start.columns() > start.rows()) {
    throw InvalidArgument(std::to_string(count) + " eigenpairs from a start of " + std::to_string(start.rows()) +
                          " by " + std::to_string(start.columns()) + ": between 1 and its columns can be asked for");
  }
  return KrylovBasis<T>(multiply, start.rows(), count, start.columns(), options, run).solve(start);
}

template LeadingEigen<double> leading_eigenpairs<double>(const BlockOperator<double>&, Index, Index,
                                                         const EigenOptions&, const Run&);
template LeadingEigen<float> leading_eigenpairs<float>(const BlockOperator<float>&, Index, Index, const EigenOptions&,
                                                       const Run&);
template LeadingEigen<double> leading_eigenpairs<double>(const BlockOperator<double>&, ConstMatrixView<double>, Index,
                                                         const EigenOptions&, const Run&);
template LeadingEigen<float> leading_eigenpairs<float>(const BlockOperator<float>&, ConstMatrixView<float>, Index,
                                                       const EigenOptions&, const Run&);

}  // namespace mercer
