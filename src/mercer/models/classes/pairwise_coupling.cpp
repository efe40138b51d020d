#include "mercer/models/classes/pairwise_coupling.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

namespace {

Matrix<double> coupling_matrix(ConstMatrixView<double> r) {
  const Index k = r.rows();
  Matrix<double> q = Matrix<double>::filled(k, k, 0.0);
  for (Index i = 0; i < k; ++i) {
    for (Index j = 0; j < k; ++j) {
      if (j != i) {
        q(i, i) += r(j, i) * r(j, i);
        q(i, j) = -r(j, i) * r(i, j);
      }
    }
  }
  return q;
}

// Qp and pᵀQp, kept up to date while p changes by one coordinate and is scaled back to sum 1.
class Coupling {
 public:
  Coupling(ConstMatrixView<double> r, std::span<double> p)
      : q_(coupling_matrix(r)), p_(p), product_(p.size()), value_(0) {
    std::fill(p.begin(), p.end(), 1.0 / static_cast<double>(p.size()));
  }

  double residual() {
    value_ = 0;
    for (std::size_t i = 0; i < p_.size(); ++i) {
      product_[i] = 0;
      for (std::size_t j = 0; j < p_.size(); ++j) {
        product_[i] += at(i, j) * p_[j];
      }
      value_ += p_[i] * product_[i];
    }
    double largest = 0;
    for (const double entry : product_) {
      largest = std::max(largest, std::abs(entry - value_));
    }
    return largest;
  }

  void round() {
    for (std::size_t t = 0; t < p_.size(); ++t) {
      const double diagonal = at(t, t);
      if (!(diagonal > 0)) {
        continue;
      }
      const double step = (value_ - product_[t]) / diagonal;
      p_[t] += step;
      const double sum = 1 + step;
      value_ = (value_ + step * (step * diagonal + 2 * product_[t])) / (sum * sum);
      for (std::size_t j = 0; j < p_.size(); ++j) {
        product_[j] = (product_[j] + step * at(t, j)) / sum;
        p_[j] /= sum;
      }
    }
  }

 private:
  double at(std::size_t i, std::size_t j) const { return q_(static_cast<Index>(i), static_cast<Index>(j)); }

  Matrix<double> q_;
  std::span<double> p_;
  std::vector<double> product_;
  double value_;
};

}  // namespace

void couple_pairwise(ConstMatrixView<double> r, std::span<double> p, const CouplingOptions& options) {
  const Index k = r.rows();
  if (k < 1 || r.columns() != k || static_cast<Index>(p.size()) != k) {
    throw InvalidArgument("pairwise coupling needs a square matrix of pairs and one probability for each row");
  }
  if (k == 1) {
    p[0] = 1;
    return;
  }
  if (k == 2) {
    p[0] = r(0, 1);
    p[1] = r(1, 0);
    return;
  }
  Coupling coupling(r, p);
  for (Index i = 0; i < options.iteration_limit && !(coupling.residual() < options.tolerance); ++i) {
    coupling.round();
  }
}

}  // namespace mercer
