#include "mercer/gram/definiteness_check.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/gram/stored_copy.h"
#include "mercer/linalg/product.h"
#include "mercer/linalg/symmetric_eigen.h"

namespace mercer {

void DefinitenessOptions::validate() const {
  if (!(tolerance >= 0) || !std::isfinite(tolerance)) {
    reject_argument("tolerance", tolerance, "0 (automatic) or a positive number");
  }
  if (exact_size < 1) {
    reject_argument("exact_size", static_cast<double>(exact_size), "1 or more");
  }
  if (largest_order < 0 || largest_order > 3) {
    reject_argument("largest_order", largest_order, "0 to 3");
  }
}

namespace {

// Orthonormal basis (n × p) of the polynomials of degree < order at the samples: monomials of standardised
// coordinates, orthogonalised twice; those that depend on others are left out.
class PolynomialBasis {
 public:
  PolynomialBasis(Index n, int order, const Samples& coordinates) : n_(n) {
    const auto size = static_cast<std::size_t>(n);
    add(std::vector<double>(size, 1.0));
    if (order < 2) {
      return;
    }
    const Samples dense = to_dense<double>(coordinates);
    const auto& rows = dense.as<DenseRows<double>>();
    std::vector<std::vector<double>> linear;
    for (Index j = 0; j < rows.columns; ++j) {
      std::vector<double> column(size);
      for (Index i = 0; i < n; ++i) {
        column[i] = rows(i, j);
      }
      linear.push_back(standardized(std::move(column)));
      add(linear.back());
    }
    if (order < 3) {
      return;
    }
    for (std::size_t a = 0; a < linear.size(); ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        std::vector<double> product(size);
        std::transform(linear[a].begin(), linear[a].end(), linear[b].begin(), product.begin(), std::multiplies<>());
        add(std::move(product));
      }
    }
  }

  // Whether polynomials fill the whole space: every matrix is positive on what is left.
  bool is_complete() const { return static_cast<Index>(vectors_.size()) >= n_; }

  // v −= B Bᵀ v for the columns of a block.
  void project(MatrixView<double> v) const {
    for (const std::vector<double>& basis : vectors_) {
      std::vector<double> products(v.columns(), 0.0);
      for (Index i = 0; i < v.rows(); ++i) {
        for (Index c = 0; c < v.columns(); ++c) {
          products[c] += basis[i] * v(i, c);
        }
      }
      for (Index i = 0; i < v.rows(); ++i) {
        for (Index c = 0; c < v.columns(); ++c) {
          v(i, c) -= basis[i] * products[c];
        }
      }
    }
  }

 private:
  static std::vector<double> standardized(std::vector<double> column) {
    double mean = 0;
    double largest = 0;
    for (const double value : column) {
      mean += value / static_cast<double>(column.size());
    }
    for (double& value : column) {
      value -= mean;
      largest = std::max(largest, std::abs(value));
    }
    for (double& value : column) {
      value = largest > 0 ? value / largest : 0;
    }
    return column;
  }

  void add(std::vector<double> vector) {
    if (is_complete()) {
      return;
    }
    const MatrixView<double> view(vector.data(), n_, 1);
    const double before = nrm2(vector);
    project(view);
    project(view);
    const double after = nrm2(vector);
    if (after > 1e-10 * before && after > 0) {
      scale(1 / after, vector);
      vectors_.push_back(std::move(vector));
    }
  }

  Index n_;
  std::vector<std::vector<double>> vectors_;
};

void transpose_in_place(MatrixView<double> k) {
  for (Index i = 0; i < k.rows(); ++i) {
    for (Index j = 0; j < i; ++j) {
      std::swap(k(i, j), k(j, i));
    }
  }
}

double projected_smallest(const Matrix<double>& k, const PolynomialBasis& basis, const Run& run) {
  Matrix<double> pkp = Matrix<double>::copy_of(k.view());
  basis.project(pkp.view());
  transpose_in_place(pkp.view());
  basis.project(pkp.view());
  return symmetric_eigenvalues(pkp.view(), run).front();
}

double projected_smallest(const Gram<double>& gram, const PolynomialBasis& basis, const EigenOptions& options,
                          const Run& run) {
  const BlockOperator<double> multiply = [&](ConstMatrixView<double> v, MatrixView<double> out) {
    Matrix<double> projected = Matrix<double>::copy_of(v);
    basis.project(projected.view());
    gram.multiply(projected.view(), out, run.quiet());
    basis.project(out);
  };
  return leading_eigenpairs<double>(multiply, gram.size(), 1, options, run).values.at(0);
}

void set_tolerance(DefinitenessReport& report, const DefinitenessOptions& options, Index n) {
  const double relative =
      options.tolerance > 0 ? options.tolerance : 10 * static_cast<double>(n) * std::numeric_limits<double>::epsilon();
  report.tolerance = relative * std::max(std::abs(report.smallest), std::abs(report.largest));
}

void check_all(const Matrix<double>& k, const DefinitenessOptions& options, DefinitenessReport& report,
               const Run& run) {
  SymmetricEigen<double> eigen = symmetric_eigen(k.view(), run);
  report.smallest = eigen.values.front();
  report.largest = eigen.values.back();
  set_tolerance(report, options, k.rows());
  report.negative =
      std::count_if(eigen.values.begin(), eigen.values.end(), [&](double value) { return value < -report.tolerance; });
  if (report.negative > 0) {
    for (Index i = 0; i < k.rows(); ++i) {
      report.witness.push_back(eigen.vectors(i, 0));
    }
  }
  report.eigenvalues = std::move(eigen.values);
}

void check_ends(const Gram<double>& gram, const DefinitenessOptions& options, const EigenOptions& ends,
                DefinitenessReport& report, const Run& run) {
  const BlockOperator<double> multiply = [&](ConstMatrixView<double> v, MatrixView<double> out) {
    gram.multiply(v, out, run.quiet());
  };
  EigenOptions top = ends;
  top.end = SpectrumEnd::largest;
  const LeadingEigen<double> high = leading_eigenpairs<double>(multiply, gram.size(), 1, top, run);
  const LeadingEigen<double> low = leading_eigenpairs<double>(multiply, gram.size(), 1, ends, run);
  run.check_stop();
  report.largest = high.values.at(0);
  report.smallest = low.values.at(0);
  set_tolerance(report, options, gram.size());
  // A Ritz value bounds the smallest eigenvalue from above: a negative one is proof, another is not.
  report.tolerance = std::max(report.tolerance, options.tolerance > 0 ? 0.0 : 1e-8 * report.largest);
  report.negative = report.smallest < -report.tolerance ? -1 : 0;
  if (report.negative != 0) {
    for (Index i = 0; i < gram.size(); ++i) {
      report.witness.push_back(low.vectors(i, 0));
    }
  }
  report.note = "more than " + std::to_string(options.exact_size) +
                " samples: the ends of the spectrum by block Lanczos, negative eigenvalues not counted";
}

}  // namespace

DefinitenessReport check_definiteness(const Gram<double>& gram, const DefinitenessOptions& options, const Run& run) {
  options.validate();
  const Index n = gram.size();
  const bool has_coordinates = options.coordinates.size() > 0;
  if (has_coordinates && (options.coordinates.size() != n || !options.coordinates.is_numeric())) {
    throw InvalidArgument("the coordinates for conditional definiteness must be numeric samples, one per row (" +
                          std::to_string(n) + ")");
  }
  DefinitenessReport report;
  if (n == 0) {
    return report;
  }
  const bool exact = n <= options.exact_size;
  const EigenOptions ends{.tolerance = 1e-8, .max_products = 500, .end = SpectrumEnd::smallest};
  Matrix<double> k;
  if (exact) {
    k = stored_copy(gram, run);
    check_all(k, options, report, run);
  } else {
    check_ends(gram, options, ends, report, run);
  }
  if (report.witness.empty()) {
    return report;
  }
  report.kind = DefinitenessKind::indefinite;
  const int orders = has_coordinates ? options.largest_order : std::min(options.largest_order, 1);
  for (int order = 1; order <= orders; ++order) {
    run.check_stop();
    const PolynomialBasis basis(n, order, options.coordinates);
    if (basis.is_complete()) {
      report.note += std::string(report.note.empty() ? "" : "; ") + "too few samples to judge order " +
                     std::to_string(order) + ": polynomials fill the whole space";
      break;
    }
    report.projected_smallest = exact ? projected_smallest(k, basis, run) : projected_smallest(gram, basis, ends, run);
    if (report.projected_smallest >= -report.tolerance) {
      report.kind = DefinitenessKind::conditional;
      report.order = order;
      break;
    }
  }
  return report;
}

std::string to_string(const DefinitenessReport& report) {
  const std::string numbers = "eigenvalues from " + shortest(report.smallest) + " to " + shortest(report.largest);
  std::string text;
  switch (report.kind) {
    case DefinitenessKind::positive:
      text = "positive definite: " + numbers + ", none below -" + shortest(report.tolerance);
      break;
    case DefinitenessKind::conditional:
      text = "conditionally positive definite of order " + std::to_string(report.order) + ": " + numbers +
             ", on the complement of the polynomials from " + shortest(report.projected_smallest);
      break;
    case DefinitenessKind::indefinite:
      text = "indefinite: " + numbers;
      if (report.negative > 0) {
        text += ", " + std::to_string(report.negative) + " negative";
      }
      break;
  }
  return report.note.empty() ? text : text + " (" + report.note + ")";
}

}  // namespace mercer
