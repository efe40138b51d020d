// Gram matrices made from another one, entry by entry; they compose.
//
//   ShiftedGram    K + diag(s)                      regularised systems
//   SignedGram     y_i y_j K_ij                     duals of classifiers
//   CenteredGram   (1 − ecᵀ) K (1 − ceᵀ), Σc = 1    Schölkopf & Smola (2002), (2.87); c = 1/n: centring in feature space
//   SubsetGram     K on a list of rows and columns  pairs of classes, folds
//
// Every wrapper shares in the ownership of what it wraps; borrowed(gram) gives a handle that does not own.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/gram/gram.h"

namespace mercer {

template <class T>
class SubsetGram final : public Gram<T> {
 public:
  /// The list is trusted to be in range (Gram::subset checks it).
  SubsetGram(std::shared_ptr<const Gram<T>> gram, std::vector<Index> list);

  Index size() const override { return static_cast<Index>(list_.size()); }
  void fill(IndexRange rows, IndexRange columns, MatrixView<T> out, Workspace& workspace) const override;
  void diagonal(std::span<double> out) const override;
  double work_per_entry() const override { return gram_->work_per_entry(); }

 protected:
  void fill_rows(std::span<const Index> list, MatrixView<T> out, const Run& run) const override;
  void fill_gathered(std::span<const Index> rows, std::span<const Index> columns, MatrixView<T> out,
                     const Run& run) const override;
  std::shared_ptr<const Gram<T>> make_subset(std::span<const Index> list, const Run& run) const override;

 private:
  std::vector<Index> translated(std::span<const Index> list) const;

  std::shared_ptr<const Gram<T>> gram_;
  std::vector<Index> list_;
};

template <class T>
class ShiftedGram final : public Gram<T> {
 public:
  /// One finite number per row; InvalidArgument otherwise.
  ShiftedGram(std::shared_ptr<const Gram<T>> gram, std::vector<double> shifts);
  /// K + λ 1.
  ShiftedGram(std::shared_ptr<const Gram<T>> gram, double lambda);

  Index size() const override { return gram_->size(); }
  void fill(IndexRange rows, IndexRange columns, MatrixView<T> out, Workspace& workspace) const override;
  void diagonal(std::span<double> out) const override;
  void multiply(ConstMatrixView<T> v, MatrixView<T> out, const Run& run) const override;
  double work_per_entry() const override { return gram_->work_per_entry(); }

 protected:
  void fill_rows(std::span<const Index> list, MatrixView<T> out, const Run& run) const override;
  void fill_gathered(std::span<const Index> rows, std::span<const Index> columns, MatrixView<T> out,
                     const Run& run) const override;

 private:
  std::shared_ptr<const Gram<T>> gram_;
  std::vector<double> shifts_;
};

template <class T>
class SignedGram final : public Gram<T> {
 public:
  /// One sign, +1 or −1, per row; InvalidArgument otherwise.
  SignedGram(std::shared_ptr<const Gram<T>> gram, std::vector<double> signs);

  Index size() const override { return gram_->size(); }
  void fill(IndexRange rows, IndexRange columns, MatrixView<T> out, Workspace& workspace) const override;
  void diagonal(std::span<double> out) const override { gram_->diagonal(out); }
  void multiply(ConstMatrixView<T> v, MatrixView<T> out, const Run& run) const override;
  double work_per_entry() const override { return gram_->work_per_entry(); }

 protected:
  void fill_rows(std::span<const Index> list, MatrixView<T> out, const Run& run) const override;
  void fill_gathered(std::span<const Index> rows, std::span<const Index> columns, MatrixView<T> out,
                     const Run& run) const override;

 private:
  T sign(Index i) const { return static_cast<T>(signs_[i]); }

  std::shared_ptr<const Gram<T>> gram_;
  std::vector<double> signs_;
};

template <class T>
class CenteredGram final : public Gram<T> {
 public:
  /// Weights that sum to 1 (to 1e-9); empty: 1/n each. The means Kc are computed here, once: one product.
  CenteredGram(std::shared_ptr<const Gram<T>> gram, std::vector<double> weights, const Run& run);
  CenteredGram(std::shared_ptr<const Gram<T>> gram, const Run& run) : CenteredGram(std::move(gram), {}, run) {}

  Index size() const override { return gram_->size(); }
  void fill(IndexRange rows, IndexRange columns, MatrixView<T> out, Workspace& workspace) const override;
  void diagonal(std::span<double> out) const override;
  void multiply(ConstMatrixView<T> v, MatrixView<T> out, const Run& run) const override;
  double work_per_entry() const override { return gram_->work_per_entry(); }

  std::span<const double> weights() const { return weights_; }
  /// (Kc)_i, and cᵀKc: what centring other rows against this set needs.
  std::span<const double> means() const { return means_; }
  double total_mean() const { return total_mean_; }

 protected:
  void fill_rows(std::span<const Index> list, MatrixView<T> out, const Run& run) const override;
  void fill_gathered(std::span<const Index> rows, std::span<const Index> columns, MatrixView<T> out,
                     const Run& run) const override;

 private:
  double mean(Index i) const { return means_[i]; }

  std::shared_ptr<const Gram<T>> gram_;
  std::vector<double> weights_;
  std::vector<double> means_;
  double total_mean_ = 0;
};

}  // namespace mercer
