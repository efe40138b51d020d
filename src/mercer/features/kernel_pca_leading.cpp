// leading_kernel_pca: block Krylov steps on √W K̃ √W. Centring is two rank-one corrections of a product, so that no
// entry of K is needed for it; the means Kc, which the offsets take, come with the first product as one more column.
#include <algorithm>
#include <limits>
#include <type_traits>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/features/kernel_pca_parts.h"
#include "mercer/linalg/product.h"
#include "mercer/linalg/symmetric_eigen.h"

namespace mercer {

namespace {

constexpr std::uint64_t landmark_stream = 0x6b706361ULL;
constexpr Index fewest_landmarks = 400;
constexpr int most_products = 100;

template <class T>
class CenteredProduct {
 public:
  CenteredProduct(const Gram<T>& gram, const PcaWeights& weights, FeatureOrigin origin, const Run& run)
      : gram_(gram), weights_(weights), centered_(origin == FeatureOrigin::mean), run_(run) {
    means_.diagonal.resize(gram.size());
    gram.diagonal(means_.diagonal);
  }

  void apply(ConstMatrixView<T> v, MatrixView<T> out) {
    const bool with_means = centered_ && means_.means.empty();
    const Index n = v.rows();
    const Index columns = v.columns();
    Matrix<T> in(n, columns + (with_means ? 1 : 0));
    std::vector<double> sums(columns, 0.0);
    for (Index i = 0; i < n; ++i) {
      const double root = weights_.roots[i];
      for (Index c = 0; c < columns; ++c) {
        const double value = root * static_cast<double>(v(i, c));
        sums[c] += value;
        in(i, c) = static_cast<T>(value);
      }
    }
    for (Index i = 0; centered_ && i < n; ++i) {
      const double share = weights_.shares[i];
      for (Index c = 0; c < columns; ++c) {
        in(i, c) = static_cast<T>(static_cast<double>(in(i, c)) - share * sums[c]);
      }
      if (with_means) {
        in(i, columns) = static_cast<T>(share * static_cast<double>(n));
      }
    }
    Matrix<T> product(n, in.columns());
    gram_.multiply(in.view(), product.view(), run_);
    if (with_means) {
      take_means(product.view());
    }
    finish(product.view(), out);
    ++products_;
    run_.progress("kernel PCA", static_cast<double>(products_), 0);
  }

  const PcaMeans& means() const { return means_; }

 private:
  // The share times n keeps the column near 1, where float has its full resolution.
  void take_means(ConstMatrixView<T> product) {
    const Index n = product.rows();
    for (Index i = 0; i < n; ++i) {
      means_.means.push_back(static_cast<double>(product(i, product.columns() - 1)) / static_cast<double>(n));
      means_.total_mean += weights_.shares[i] * means_.means.back();
    }
  }

  // out = √W (1 − ecᵀ) product
  void finish(ConstMatrixView<T> product, MatrixView<T> out) const {
    std::vector<double> sums(out.columns(), 0.0);
    for (Index i = 0; centered_ && i < out.rows(); ++i) {
      const double share = weights_.shares[i];
      for (Index c = 0; c < out.columns(); ++c) {
        sums[c] += share * static_cast<double>(product(i, c));
      }
    }
    for (Index i = 0; i < out.rows(); ++i) {
      const double root = weights_.roots[i];
      for (Index c = 0; c < out.columns(); ++c) {
        out(i, c) = static_cast<T>(root * (static_cast<double>(product(i, c)) - sums[c]));
      }
    }
  }

  const Gram<T>& gram_;
  const PcaWeights& weights_;
  bool centered_;
  Run run_;
  PcaMeans means_;
  Index products_ = 0;
};

// Some rows of K, with the roots and the shares of their weights.
template <class T>
struct SampledLandmarks {
  std::vector<Index> rows;
  std::vector<double> roots;
  std::vector<double> shares;
  Matrix<T> values;  // K(rows, :), then centred from the left: Φ(z_a) − mean of the landmarks

  Index size() const { return static_cast<Index>(rows.size()); }
};

template <class T>
SampledLandmarks<T> random_landmarks(const Gram<T>& gram, const PcaWeights& weights, Index count, const Run& run) {
  SampledLandmarks<T> result;
  RandomStream random(run.seed(), landmark_stream);
  result.rows = sample_without_replacement(random, gram.size(), count);
  std::sort(result.rows.begin(), result.rows.end());
  double total = 0;
  for (const Index row : result.rows) {
    total += weights.values[row];
  }
  for (const Index row : result.rows) {
    result.roots.push_back(weights.roots[row]);
    result.shares.push_back(weights.values[row] / total);
  }
  result.values = Matrix<T>(count, gram.size());
  gram.rows(result.rows, result.values.view(), run);
  return result;
}

template <class T>
void center_landmarks(SampledLandmarks<T>& landmarks) {
  const Index n = landmarks.values.columns();
  std::vector<double> mean(n, 0.0);
  for (Index a = 0; a < landmarks.size(); ++a) {
    for (Index j = 0; j < n; ++j) {
      mean[j] += landmarks.shares[a] * static_cast<double>(landmarks.values(a, j));
    }
  }
  for (Index a = 0; a < landmarks.size(); ++a) {
    for (Index j = 0; j < n; ++j) {
      landmarks.values(a, j) = static_cast<T>(static_cast<double>(landmarks.values(a, j)) - mean[j]);
    }
  }
}

// √W K̃ √W of the landmarks, centred by their own mean.
template <class T>
Matrix<T> landmark_problem(const SampledLandmarks<T>& landmarks, FeatureOrigin origin) {
  const Index count = landmarks.size();
  Matrix<T> small(count, count);
  for (Index a = 0; a < count; ++a) {
    const auto value = [&](Index b) { return static_cast<double>(landmarks.values(a, landmarks.rows[b])); };
    double mean = 0;
    for (Index b = 0; b < count && origin == FeatureOrigin::mean; ++b) {
      mean += landmarks.shares[b] * value(b);
    }
    for (Index b = 0; b < count; ++b) {
      small(a, b) = static_cast<T>(landmarks.roots[a] * landmarks.roots[b] * (value(b) - mean));
    }
  }
  return small;
}

// The leading eigenvectors on a random part of the rows, taken to all rows by one product with those rows of K: what a
// power step would make of them.
template <class T>
Matrix<T> landmark_start(const Gram<T>& gram, const PcaWeights& weights, FeatureOrigin origin, Index block,
                         const Run& run) {
  const Index n = gram.size();
  const Index count = std::min(n, std::max(fewest_landmarks, 4 * block));
  SampledLandmarks<T> landmarks = random_landmarks(gram, weights, count, run);
  if (origin == FeatureOrigin::mean) {
    center_landmarks(landmarks);
  }
  const Matrix<T> small = landmark_problem(landmarks, origin);
  const SymmetricEigen<T> eigen = symmetric_eigen(small.view(), run);
  Matrix<T> leading(count, block);
  for (Index a = 0; a < count; ++a) {
    for (Index c = 0; c < block; ++c) {
      leading(a, c) = static_cast<T>(landmarks.roots[a] * static_cast<double>(eigen.vectors(a, count - 1 - c)));
    }
  }
  Matrix<T> start(n, block);
  parallel_gemm<T>(T{1}, landmarks.values.view(), Transpose::yes, leading.view(), Transpose::no, T{0}, start.view(),
                   run);
  for (Index i = 0; i < n; ++i) {
    for (Index c = 0; c < block; ++c) {
      start(i, c) = static_cast<T>(static_cast<double>(start(i, c)) * weights.roots[i]);
    }
  }
  return start;
}

template <class T>
constexpr bool is_single = std::is_same_v<T, float>;

template <class T>
LeadingEigen<T> leading_of(CenteredProduct<T>& product, ConstMatrixView<T> start, Index wanted, const Run& run) {
  return leading_eigenpairs<T>([&](ConstMatrixView<T> v, MatrixView<T> out) { product.apply(v, out); }, start, wanted,
                               {.tolerance = is_single<T> ? 1e-4 : 1e-8, .max_products = most_products}, run);
}

Matrix<double> in_double(ConstMatrixView<float> values) {
  Matrix<double> result(values.rows(), values.columns());
  for (Index i = 0; i < values.rows(); ++i) {
    std::copy_n(values.row_data(i), values.columns(), result.view().row_data(i));
  }
  return result;
}
Matrix<double> in_double(ConstMatrixView<double> values) { return Matrix<double>::copy_of(values); }

}  // namespace

template <class T>
KernelPca leading_kernel_pca(const Gram<T>& gram, std::span<const double> weights, const KernelPcaOptions& options,
                             const Run& run) {
  options.validate();
  const Index n = gram.size();
  const PcaWeights used(weights, n);
  if (options.components < 1) {
    reject_argument("components", static_cast<double>(options.components), "1 or more for the leading ones");
  }
  const Index wanted = std::min(options.components, n);
  KernelPca pca;
  if (n == 0) {
    set_components({}, Matrix<double>(0, 0).view(), {}, used, pca);
    return pca;
  }
  CenteredProduct<T> product(gram, used, options.origin, run);
  const Index block = std::min(n, wanted + std::max<Index>(8, wanted / 2));
  const Matrix<T> start = landmark_start(gram, used, options.origin, block, run);
  const LeadingEigen<T> eigen = leading_of<T>(product, start.view(), wanted, run);
  run.check_stop();
  const std::vector<double> values(eigen.values.begin(), eigen.values.end());
  const double floor = rounding_floor(product.means(), used, std::numeric_limits<T>::epsilon());
  const Index count = kept_components(values, wanted, std::max(options.tolerance, is_single<T> ? 1e-6 : 0.0), floor);
  const Matrix<double> vectors = in_double(eigen.vectors.view().block({0, n}, {0, count}));
  set_components(std::span(values).first(static_cast<std::size_t>(count)), vectors.view(), product.means(), used, pca);
  pca.status = eigen.status;
  pca.iterations = eigen.products;
  for (Index c = 0; c < count; ++c) {
    pca.residual = std::max(pca.residual, eigen.residuals[c] / values[0]);
  }
  return pca;
}

template KernelPca leading_kernel_pca<float>(const Gram<float>&, std::span<const double>, const KernelPcaOptions&,
                                             const Run&);
template KernelPca leading_kernel_pca<double>(const Gram<double>&, std::span<const double>, const KernelPcaOptions&,
                                              const Run&);

}  // namespace mercer
