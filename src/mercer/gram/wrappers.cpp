#include "mercer/gram/wrappers.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

namespace {

void require_length(const char* what, std::size_t given, Index size) {
  if (static_cast<Index>(given) != size) {
    throw InvalidArgument(std::to_string(given) + " " + what + " for a Gram matrix of size " + std::to_string(size) +
                          ": give one per row");
  }
}

// Calls f(a, b, i, j) for every entry (a, b) of a block that is K(i, j).
template <class RowOf, class ColumnOf, class F>
void for_entries(Index rows, Index columns, RowOf row_of, ColumnOf column_of, F f) {
  for (Index a = 0; a < rows; ++a) {
    for (Index b = 0; b < columns; ++b) {
      f(a, b, row_of(a), column_of(b));
    }
  }
}

auto offset(Index begin) {
  return [begin](Index a) { return begin + a; };
}
auto listed(std::span<const Index> list) {
  return [list](Index a) { return list[a]; };
}

}  // namespace

template <class T>
SubsetGram<T>::SubsetGram(std::shared_ptr<const Gram<T>> gram, std::vector<Index> list)
    : gram_(std::move(gram)), list_(std::move(list)) {}

template <class T>
void SubsetGram<T>::fill(IndexRange rows, IndexRange columns, MatrixView<T> out, Workspace& /*workspace*/) const {
  const Run here{{.threads = 1}};
  const std::span<const Index> list(list_);
  gram_->gather(list.subspan(static_cast<std::size_t>(rows.begin), static_cast<std::size_t>(rows.size())),
                list.subspan(static_cast<std::size_t>(columns.begin), static_cast<std::size_t>(columns.size())), out,
                here);
}

template <class T>
void SubsetGram<T>::diagonal(std::span<double> out) const {
  std::vector<double> all(gram_->size());
  gram_->diagonal(all);
  std::transform(list_.begin(), list_.end(), out.begin(), [&](Index i) { return all[i]; });
}

template <class T>
std::vector<Index> SubsetGram<T>::translated(std::span<const Index> list) const {
  std::vector<Index> result(list.size());
  std::transform(list.begin(), list.end(), result.begin(), [&](Index i) { return list_[i]; });
  return result;
}

template <class T>
void SubsetGram<T>::fill_rows(std::span<const Index> list, MatrixView<T> out, const Run& run) const {
  gram_->gather(translated(list), list_, out, run);
}

template <class T>
void SubsetGram<T>::fill_gathered(std::span<const Index> rows, std::span<const Index> columns, MatrixView<T> out,
                                  const Run& run) const {
  gram_->gather(translated(rows), translated(columns), out, run);
}

template <class T>
std::shared_ptr<const Gram<T>> SubsetGram<T>::make_subset(std::span<const Index> list, const Run& /*run*/) const {
  return std::make_shared<SubsetGram<T>>(gram_, translated(list));
}

template <class T>
ShiftedGram<T>::ShiftedGram(std::shared_ptr<const Gram<T>> gram, std::vector<double> shifts)
    : gram_(std::move(gram)), shifts_(std::move(shifts)) {
  require_length("shifts", shifts_.size(), size());
  for (const double shift : shifts_) {
    if (!std::isfinite(shift)) {
      reject_argument("shift", shift, "a finite number");
    }
  }
}

template <class T>
ShiftedGram<T>::ShiftedGram(std::shared_ptr<const Gram<T>> gram, double lambda)
    : ShiftedGram(gram, std::vector<double>(gram->size(), lambda)) {}

template <class T>
void ShiftedGram<T>::fill(IndexRange rows, IndexRange columns, MatrixView<T> out, Workspace& workspace) const {
  gram_->fill(rows, columns, out, workspace);
  for (Index i = std::max(rows.begin, columns.begin); i < std::min(rows.end, columns.end); ++i) {
    out(i - rows.begin, i - columns.begin) += static_cast<T>(shifts_[i]);
  }
}

template <class T>
void ShiftedGram<T>::diagonal(std::span<double> out) const {
  gram_->diagonal(out);
  for (std::size_t i = 0; i < shifts_.size(); ++i) {
    out[i] += shifts_[i];
  }
}

template <class T>
void ShiftedGram<T>::multiply(ConstMatrixView<T> v, MatrixView<T> out, const Run& run) const {
  gram_->multiply(v, out, run);
  for (Index i = 0; i < size(); ++i) {
    const double shift = shifts_[i];
    for (Index c = 0; c < v.columns(); ++c) {
      out(i, c) = static_cast<T>(static_cast<double>(out(i, c)) + shift * static_cast<double>(v(i, c)));
    }
  }
}

template <class T>
void ShiftedGram<T>::fill_rows(std::span<const Index> list, MatrixView<T> out, const Run& run) const {
  gram_->rows(list, out, run);
  for (std::size_t a = 0; a < list.size(); ++a) {
    out(static_cast<Index>(a), list[a]) += static_cast<T>(shifts_[list[a]]);
  }
}

template <class T>
void ShiftedGram<T>::fill_gathered(std::span<const Index> rows, std::span<const Index> columns, MatrixView<T> out,
                                   const Run& run) const {
  gram_->gather(rows, columns, out, run);
  for_entries(out.rows(), out.columns(), listed(rows), listed(columns), [&](Index a, Index b, Index i, Index j) {
    if (i == j) {
      out(a, b) += static_cast<T>(shifts_[i]);
    }
  });
}

template <class T>
SignedGram<T>::SignedGram(std::shared_ptr<const Gram<T>> gram, std::vector<double> signs)
    : gram_(std::move(gram)), signs_(std::move(signs)) {
  require_length("signs", signs_.size(), size());
  for (const double sign : signs_) {
    if (sign != 1 && sign != -1) {
      reject_argument("sign", sign, "+1 or -1");
    }
  }
}

template <class T>
void SignedGram<T>::fill(IndexRange rows, IndexRange columns, MatrixView<T> out, Workspace& workspace) const {
  gram_->fill(rows, columns, out, workspace);
  for_entries(out.rows(), out.columns(), offset(rows.begin), offset(columns.begin),
              [&](Index a, Index b, Index i, Index j) { out(a, b) *= sign(i) * sign(j); });
}

template <class T>
void SignedGram<T>::multiply(ConstMatrixView<T> v, MatrixView<T> out, const Run& run) const {
  Matrix<T> flipped = Matrix<T>::copy_of(v);
  for (Index i = 0; i < v.rows(); ++i) {
    for (T& value : flipped.view().row(i)) {
      value *= sign(i);
    }
  }
  gram_->multiply(flipped.view(), out, run);
  for (Index i = 0; i < out.rows(); ++i) {
    for (T& value : out.row(i)) {
      value *= sign(i);
    }
  }
}

template <class T>
void SignedGram<T>::fill_rows(std::span<const Index> list, MatrixView<T> out, const Run& run) const {
  gram_->rows(list, out, run);
  for_entries(out.rows(), out.columns(), listed(list), offset(0),
              [&](Index a, Index b, Index i, Index j) { out(a, b) *= sign(i) * sign(j); });
}

template <class T>
void SignedGram<T>::fill_gathered(std::span<const Index> rows, std::span<const Index> columns, MatrixView<T> out,
                                  const Run& run) const {
  gram_->gather(rows, columns, out, run);
  for_entries(out.rows(), out.columns(), listed(rows), listed(columns),
              [&](Index a, Index b, Index i, Index j) { out(a, b) *= sign(i) * sign(j); });
}

template <class T>
CenteredGram<T>::CenteredGram(std::shared_ptr<const Gram<T>> gram, std::vector<double> weights, const Run& run)
    : gram_(std::move(gram)), weights_(std::move(weights)) {
  const auto n = static_cast<std::size_t>(size());
  if (weights_.empty()) {
    weights_.assign(n, 1 / static_cast<double>(std::max<Index>(size(), 1)));
  }
  require_length("weights", weights_.size(), size());
  double sum = 0;
  for (const double weight : weights_) {
    sum += weight;
  }
  if (n > 0 && !(std::abs(sum - 1) <= 1e-9)) {
    reject_argument("sum of the centring weights", sum, "1");
  }
  if (std::count(weights_.begin(), weights_.end(), 0.0) >= size() - 1) {
    // About one row: that row is all there is to know.
    const auto origin = std::find_if(weights_.begin(), weights_.end(), [](double weight) { return weight != 0; });
    const Index row = origin - weights_.begin();
    means_.assign(n, 0.0);
    gram_->accumulate(std::span(&row, n == 0 ? 0 : 1),
                      std::span(weights_).subspan(static_cast<std::size_t>(row), n == 0 ? 0 : 1), means_, run);
  } else {
    Matrix<T> c(size(), 1);
    Matrix<T> product(size(), 1);
    std::transform(weights_.begin(), weights_.end(), c.data(), [](double weight) { return static_cast<T>(weight); });
    gram_->multiply(c.view(), product.view(), run);
    means_.assign(product.data(), product.data() + size());
  }
  for (std::size_t i = 0; i < n; ++i) {
    total_mean_ += weights_[i] * means_[i];
  }
}

template <class T>
void CenteredGram<T>::fill(IndexRange rows, IndexRange columns, MatrixView<T> out, Workspace& workspace) const {
  gram_->fill(rows, columns, out, workspace);
  for_entries(out.rows(), out.columns(), offset(rows.begin), offset(columns.begin),
              [&](Index a, Index b, Index i, Index j) {
                out(a, b) = static_cast<T>(static_cast<double>(out(a, b)) - (mean(i) + mean(j)) + total_mean_);
              });
}

template <class T>
void CenteredGram<T>::diagonal(std::span<double> out) const {
  gram_->diagonal(out);
  for (std::size_t i = 0; i < means_.size(); ++i) {
    out[i] += total_mean_ - 2 * means_[i];
  }
}

// (1 − ecᵀ) K (v − c eᵀv): the sums are taken off the vectors, not off the product, where they would cancel.
template <class T>
void CenteredGram<T>::multiply(ConstMatrixView<T> v, MatrixView<T> out, const Run& run) const {
  Matrix<T> w(v.rows(), v.columns());
  for (Index c = 0; c < v.columns(); ++c) {
    double sum = 0;
    for (Index i = 0; i < v.rows(); ++i) {
      sum += static_cast<double>(v(i, c));
    }
    for (Index i = 0; i < v.rows(); ++i) {
      w(i, c) = static_cast<T>(static_cast<double>(v(i, c)) - weights_[i] * sum);
    }
  }
  gram_->multiply(w.view(), out, run);
  for (Index c = 0; c < out.columns(); ++c) {
    double mean_of_product = 0;
    for (Index i = 0; i < out.rows(); ++i) {
      mean_of_product += weights_[i] * static_cast<double>(out(i, c));
    }
    for (Index i = 0; i < out.rows(); ++i) {
      out(i, c) = static_cast<T>(static_cast<double>(out(i, c)) - mean_of_product);
    }
  }
}

template <class T>
void CenteredGram<T>::fill_rows(std::span<const Index> list, MatrixView<T> out, const Run& run) const {
  gram_->rows(list, out, run);
  for_entries(out.rows(), out.columns(), listed(list), offset(0), [&](Index a, Index b, Index i, Index j) {
    out(a, b) = static_cast<T>(static_cast<double>(out(a, b)) - (mean(i) + mean(j)) + total_mean_);
  });
}

template <class T>
void CenteredGram<T>::fill_gathered(std::span<const Index> rows, std::span<const Index> columns, MatrixView<T> out,
                                    const Run& run) const {
  gram_->gather(rows, columns, out, run);
  for_entries(out.rows(), out.columns(), listed(rows), listed(columns), [&](Index a, Index b, Index i, Index j) {
    out(a, b) = static_cast<T>(static_cast<double>(out(a, b)) - (mean(i) + mean(j)) + total_mean_);
  });
}

template class SubsetGram<float>;
template class SubsetGram<double>;
template class ShiftedGram<float>;
template class ShiftedGram<double>;
template class SignedGram<float>;
template class SignedGram<double>;
template class CenteredGram<float>;
template class CenteredGram<double>;

}  // namespace mercer
