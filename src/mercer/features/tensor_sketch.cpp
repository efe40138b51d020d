#include "mercer/features/tensor_sketch.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <unsupported/Eigen/FFT>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/random.h"
#include "mercer/features/linear_projection.h"
#include "mercer/kernels/algebra.h"
#include "mercer/kernels/dot/poly.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

constexpr std::uint64_t sketch_stream = 0x736b6574636800ULL;
constexpr Index sketch_rows = 64;

// One row's sketches of all factors, multiplied in the Fourier domain. Owned by one task.
class RowSketch {
 public:
  explicit RowSketch(Index size)
      : sketch_(static_cast<std::size_t>(size)), spectrum_(sketch_.size()), product_(sketch_.size()) {}

  // `add` writes the factor's sketch into an array of zeros.
  template <class Add>
  const std::vector<double>& convolve(Index factors, Add add) {
    std::fill(product_.begin(), product_.end(), std::complex<double>(1));
    for (Index t = 0; t < factors; ++t) {
      std::fill(sketch_.begin(), sketch_.end(), 0.0);
      add(t, sketch_);
      if (factors == 1) {
        return sketch_;
      }
      transform();
      for (std::size_t c = 0; c < product_.size(); ++c) {
        product_[c] *= spectrum_[c];
      }
    }
    transform_back();
    return sketch_;
  }

 private:
  // Eigen's transforms do not take one number, which is its own transform.
  void transform() {
    if (sketch_.size() == 1) {
      spectrum_[0] = sketch_[0];
    } else {
      fourier_.fwd(spectrum_.data(), sketch_.data(), static_cast<Eigen::Index>(sketch_.size()));
    }
  }
  void transform_back() {
    if (sketch_.size() == 1) {
      sketch_[0] = product_[0].real();
    } else {
      fourier_.inv(sketch_.data(), product_.data(), static_cast<Eigen::Index>(sketch_.size()));
    }
  }

  Eigen::FFT<double> fourier_;
  std::vector<double> sketch_;
  std::vector<std::complex<double>> spectrum_;
  std::vector<std::complex<double>> product_;
};

}  // namespace

std::optional<PolynomialForm> polynomial_form(const Kernel& kernel) {
  Kernel polynomial = kernel;
  PolynomialForm form;
  while (const auto scale = as_scale(polynomial)) {
    form.amplitude *= scale->factor.value_or(1);
    polynomial = scale->kernel;
  }
  const KernelNode& node = polynomial.node();
  if (&node.entry() != &poly_entry() || !node.children().empty() || !node.parameters().resolved()) {
    return std::nullopt;
  }
  form.degree = static_cast<Index>(node.parameters().number_or("degree", 3));
  form.gamma = node.parameters().number_or("gamma", 1);
  form.coef0 = node.parameters().number_or("coef0", 1);
  return form.coef0 >= 0 && form.gamma >= 0 && form.amplitude >= 0 && form.degree >= 1
             ? std::optional<PolynomialForm>(form)
             : std::nullopt;
}

TensorSketch::TensorSketch(PolynomialForm form, Matrix<double> buckets, Matrix<double> signs, Index size)
    : form_(form), buckets_(std::move(buckets)), signs_(std::move(signs)), size_(size) {
  if (buckets_.rows() != form.degree || signs_.rows() != form.degree || buckets_.columns() != signs_.columns()) {
    throw InvalidArgument("a tensor sketch whose hashes are not one per factor and column");
  }
}

std::shared_ptr<const TensorSketch> TensorSketch::from_parts(const MapParts& parts) {
  const Matrix<double> about = parts.finite("polynomial", 1, 5);
  const Index columns = parts.array("buckets").columns();
  const double degree = about(0, 0);
  const double size = about(0, 4);
  if (!(degree >= 1 && degree <= 1e6 && size >= 1 && size <= 1e12 && columns >= 1 && about(0, 1) >= 0 &&
        about(0, 2) >= 0 && about(0, 3) >= 0)) {
    throw DataError("a stored tensor sketch of an impossible polynomial");
  }
  const PolynomialForm form{static_cast<Index>(degree), about(0, 1), about(0, 2), about(0, 3)};
  Matrix<double> buckets = parts.finite("buckets", form.degree, columns);
  Matrix<double> signs = parts.finite("signs", form.degree, columns);
  for (Index i = 0; i < form.degree * columns; ++i) {
    const double bucket = buckets.data()[i];
    if (!(bucket >= 0 && bucket < std::floor(size)) || bucket != std::floor(bucket) || std::abs(signs.data()[i]) != 1) {
      throw DataError("a stored tensor sketch with a bucket or a sign that cannot be");
    }
  }
  return std::make_shared<const TensorSketch>(form, std::move(buckets), std::move(signs), static_cast<Index>(size));
}

template <class T>
void TensorSketch::fill(const Samples& samples, MatrixView<T> out, const Run& run) const {
  const Index d = buckets_.columns() - 1;
  const Samples numeric = numeric_columns(samples, d, "sketch");
  const double root = std::sqrt(form_.gamma);
  const double constant = std::sqrt(form_.coef0);
  const double factor = std::sqrt(form_.amplitude);
  parallel_for(run, block_count(numeric.size(), sketch_rows), [&](Index task) {
    const IndexRange range = block_range(numeric.size(), sketch_rows, task);
    const Matrix<double> rows = dense_rows<double>(numeric, range);
    RowSketch sketch(size_);
    for (Index i = 0; i < range.size(); ++i) {
      const std::vector<double>& z = sketch.convolve(form_.degree, [&](Index t, std::vector<double>& sums) {
        for (Index j = 0; j < d; ++j) {
          sums[static_cast<std::size_t>(buckets_(t, j))] += signs_(t, j) * root * rows(i, j);
        }
        sums[static_cast<std::size_t>(buckets_(t, d))] += signs_(t, d) * constant;
      });
      std::transform(z.begin(), z.end(), out.row_data(range.begin + i),
                     [factor](double value) { return static_cast<T>(factor * value); });
    }
  });
}

void TensorSketch::transform(const Samples& samples, MatrixView<double> out, const Run& run) const {
  fill(samples, out, run);
}
void TensorSketch::transform(const Samples& samples, MatrixView<float> out, const Run& run) const {
  fill(samples, out, run);
}

MapParts TensorSketch::parts() const {
  MapParts parts;
  Matrix<double> about(1, 5);
  about(0, 0) = static_cast<double>(form_.degree);
  about(0, 1) = form_.gamma;
  about(0, 2) = form_.coef0;
  about(0, 3) = form_.amplitude;
  about(0, 4) = static_cast<double>(size_);
  parts.arrays.emplace("polynomial", std::move(about));
  parts.arrays.emplace("buckets", Matrix<double>::copy_of(buckets_.view()));
  parts.arrays.emplace("signs", Matrix<double>::copy_of(signs_.view()));
  return parts;
}

std::shared_ptr<const TensorSketch> tensor_sketch(const Kernel& kernel, const Samples& samples, Index size,
                                                  std::uint64_t seed) {
  if (size < 1) {
    reject_argument("size", static_cast<double>(size), "1 or more");
  }
  const std::optional<PolynomialForm> form = polynomial_form(kernel);
  if (!form) {
    throw InvalidArgument("sketch: the kernel " + kernel.spec() +
                          " is not poly(degree, gamma, coef0) on all columns with coef0 of 0 or more, the only one "
                          "that it knows; nystroem takes any positive definite kernel");
  }
  const Index columns = numeric_columns(samples, -1, "sketch").columns() + 1;
  Matrix<double> buckets(form->degree, columns);
  Matrix<double> signs(form->degree, columns);
  for (Index t = 0; t < form->degree; ++t) {
    RandomStream random(seed, sketch_stream + static_cast<std::uint64_t>(t));
    for (Index j = 0; j < columns; ++j) {
      buckets(t, j) = static_cast<double>(random.below(static_cast<std::uint64_t>(size)));
      signs(t, j) = random.below(2) == 0 ? -1.0 : 1.0;
    }
  }
  return std::make_shared<const TensorSketch>(*form, std::move(buckets), std::move(signs), size);
}

}  // namespace mercer
