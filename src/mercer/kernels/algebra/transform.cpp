#include "mercer/kernels/algebra/transform.h"

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/nodes/column_parameter.h"
#include "mercer/kernels/nodes/transformed_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

// The side of a square matrix given as a list.
Index side_of(const std::vector<double>& values, const std::string& name) {
  const auto side = static_cast<Index>(std::llround(std::sqrt(static_cast<double>(values.size()))));
  if (side * side != static_cast<Index>(values.size())) {
    throw InvalidArgument("transform: " + name + " is a list of " + std::to_string(values.size()) +
                          " numbers; a square matrix is needed, row by row");
  }
  return side;
}

// L of M = LLᵀ; columns of a semidefinite M that the earlier ones span are 0.
Matrix<double> cholesky_factor(const std::vector<double>& values, const std::string& name) {
  const Index d = side_of(values, name);
  const ConstMatrixView<double> m(values.data(), d, d);
  double largest = 0;
  for (const double value : values) {
    largest = std::max(largest, std::abs(value));
  }
  constexpr double tolerance = 1e-12;
  const auto refuse = [&](const std::string& what) {
    throw InvalidArgument("transform: " + name + " must be symmetric and positive semidefinite; " + what);
  };
  Matrix<double> l = Matrix<double>::filled(d, d, 0.0);
  for (Index j = 0; j < d; ++j) {
    double pivot = m(j, j);
    for (Index e = 0; e < j; ++e) {
      pivot -= l(j, e) * l(j, e);
    }
    if (pivot < -tolerance * largest) {
      refuse("it is indefinite");
    }
    const bool is_spanned = pivot <= tolerance * largest;
    l(j, j) = is_spanned ? 0.0 : std::sqrt(pivot);
    for (Index i = j + 1; i < d; ++i) {
      if (std::abs(m(i, j) - m(j, i)) > tolerance * largest) {
        refuse("it is not symmetric");
      }
      double entry = m(i, j);
      for (Index e = 0; e < j; ++e) {
        entry -= l(i, e) * l(j, e);
      }
      if (is_spanned && std::abs(entry) > 1e-6 * largest) {
        refuse("it is indefinite");
      }
      l(i, j) = is_spanned ? 0.0 : entry / l(j, j);
    }
  }
  return l;
}

Matrix<double> whitening(const std::vector<double>& covariance) {
  const Matrix<double> l = cholesky_factor(covariance, "covariance");
  const Index d = l.rows();
  Matrix<double> inverse = Matrix<double>::filled(d, d, 0.0);
  for (Index c = 0; c < d; ++c) {
    for (Index i = c; i < d; ++i) {
      if (l(i, i) == 0) {
        throw InvalidArgument("transform: covariance is singular; it must be positive definite");
      }
      double entry = i == c ? 1.0 : 0.0;
      for (Index e = c; e < i; ++e) {
        entry -= l(i, e) * inverse(e, c);
      }
      inverse(i, c) = entry / l(i, i);
    }
  }
  return inverse;
}

class TransformNode final : public TransformedNode {
 public:
  TransformNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : TransformedNode(entry, std::move(parameters), std::move(children)) {
    const ParameterList& given = this->parameters();
    const int count = int{given.has("matrix")} + int{given.has("covariance")} + int{given.has("metric")};
    if (count != 1 || given.has("rows") != given.has("matrix")) {
      throw InvalidArgument("transform: give exactly one of matrix (with rows), covariance, metric");
    }
    if (!given.resolved()) {
      return;
    }
    if (given.has("covariance")) {
      matrix_ = whitening(given.numbers("covariance"));
    } else if (given.has("metric")) {
      matrix_ = transposed(cholesky_factor(given.numbers("metric"), "metric"));
    } else {
      set_matrix(given.numbers("matrix"), static_cast<Index>(given.number("rows")));
    }
  }

  // ωᵀAx = (Aᵀω)ᵀx.
  std::optional<SpectralSampler> spectral_sampler(Index dimension) const override {
    std::optional<SpectralSampler> inner = child(0).spectral_sampler(output_columns(dimension));
    if (!inner) {
      return inner;
    }
    const auto matrix = std::make_shared<const Matrix<double>>(Matrix<double>::copy_of(matrix_.view()));
    return SpectralSampler{inner->amplitude,
                           [draw = std::move(inner->draw), matrix](RandomStream& random, std::span<double> frequency) {
                             std::vector<double> image(matrix->rows());
                             draw(random, image);
                             std::fill(frequency.begin(), frequency.end(), 0.0);
                             for (Index i = 0; i < matrix->rows(); ++i) {
                               for (Index j = 0; j < matrix->columns(); ++j) {
                                 frequency[j] += (*matrix)(i, j) * image[i];
                               }
                             }
                           }};
  }

  Definiteness definiteness() const override {
    Definiteness result = child(0).definiteness();
    const Index dimension = result.domain.largest_dimension;
    if (dimension > 0 && matrix_.rows() > dimension) {
      return Definiteness::indefinite();
    }
    result.domain = {};
    return result;
  }

 protected:
  Index output_columns(Index columns) const override {
    if (columns != matrix_.columns()) {
      throw InvalidArgument("transform: a matrix of " + std::to_string(matrix_.columns()) + " columns for samples of " +
                            std::to_string(columns));
    }
    return matrix_.rows();
  }
  void map(std::span<const double> x, std::span<double> z, Index /*row*/) const override {
    for (Index i = 0; i < matrix_.rows(); ++i) {
      double sum = 0;
      for (Index j = 0; j < matrix_.columns(); ++j) {
        sum += matrix_(i, j) * x[j];
      }
      z[i] = sum;
    }
  }
  void pull_back(std::span<const double> /*x*/, std::span<const double> dz, std::span<double> dx) const override {
    for (Index i = 0; i < matrix_.rows(); ++i) {
      for (Index j = 0; j < matrix_.columns(); ++j) {
        dx[j] += matrix_(i, j) * dz[i];
      }
    }
  }

 private:
  static Matrix<double> transposed(const Matrix<double>& m) {
    Matrix<double> result(m.columns(), m.rows());
    for (Index i = 0; i < m.rows(); ++i) {
      for (Index j = 0; j < m.columns(); ++j) {
        result(j, i) = m(i, j);
      }
    }
    return result;
  }
  void set_matrix(const std::vector<double>& values, Index rows) {
    const auto size = static_cast<Index>(values.size());
    if (size % rows != 0) {
      throw InvalidArgument("transform: matrix is a list of " + std::to_string(size) + " numbers, which " +
                            std::to_string(rows) + " rows do not divide");
    }
    matrix_ = Matrix<double>(rows, size / rows);
    std::copy(values.begin(), values.end(), matrix_.data());
  }

  Matrix<double> matrix_;
};

}  // namespace

const KernelEntry& transform_entry() {
  static const KernelEntry entry{
      .name = "transform",
      .formula = "k(A x, A y)",
      .summary = "a kernel after a linear map: a matrix, a full covariance, or a metric",
      .definiteness = "as k",
      .parameters = {{.name = "matrix",
                      .role = ParameterRole::number,
                      .constraint = Constraint::any,
                      .meaning = "A, row by row",
                      .may_be_list = true},
                     {.name = "rows",
                      .role = ParameterRole::number,
                      .constraint = Constraint::positive_integer,
                      .meaning = "rows of A"},
                     {.name = "covariance",
                      .role = ParameterRole::number,
                      .constraint = Constraint::any,
                      .meaning = "positive definite S: distances are measured by its inverse",
                      .may_be_list = true},
                     {.name = "metric",
                      .role = ParameterRole::number,
                      .constraint = Constraint::any,
                      .meaning = "positive semidefinite M: inner products become x'My",
                      .may_be_list = true}},
      .fewest_children = 1,
      .most_children = 1,
      .make = make_node<TransformNode>,
      .examples = {"transform(rbf(gamma=0.5), matrix=[1, 0.5, 0, 0, 1, -1], rows=2)",
                   "transform(rbf(lengthscale=1), covariance=[2, 0.5, 0, 0.5, 1, 0.2, 0, 0.2, 1.5])",
                   "transform(0.5*linear(), metric=[2, 1, 0, 1, 2, 0, 0, 0, 0])"}};
  return entry;
}

}  // namespace mercer
