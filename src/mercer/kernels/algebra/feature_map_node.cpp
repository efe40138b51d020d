#include "mercer/kernels/algebra/feature_map_node.h"

#include "mercer/kernels/algebra/point_values.h"
#include "mercer/linalg/blas.h"

namespace mercer {

namespace {

struct Features {
  Matrix<float> single;
  Matrix<double> full;

  template <class T>
  const Matrix<T>& of() const {
    if constexpr (sizeof(T) == sizeof(float)) {
      return single;
    } else {
      return full;
    }
  }
};

template <class T>
double squared_norm(const Matrix<T>& features, Index i) {
  double sum = 0;
  for (Index f = 0; f < features.columns(); ++f) {
    sum += static_cast<double>(features(i, f)) * static_cast<double>(features(i, f));
  }
  return sum;
}

}  // namespace

void FeatureMapNode::request(Preparation& /*preparation*/) const {}

void FeatureMapNode::complete(Preparation& preparation) const {
  const Prepared& side = preparation.target();
  const Samples& samples = side.samples();
  const Index count = feature_count(samples.columns());
  const auto map = feature_map(samples.columns());
  const bool is_single = side.precision() == Precision::single_precision;
  auto features = std::make_shared<Features>();
  if (is_single) {
    features->single = Matrix<float>(samples.size(), count);
  } else {
    features->full = Matrix<double>(samples.size(), count);
  }
  if (samples.is_numeric()) {
    require_finite(samples);
  }
  std::vector<double> x(static_cast<std::size_t>(samples.columns()));
  std::vector<double> z(static_cast<std::size_t>(count));
  for (Index i = 0; i < samples.size(); ++i) {
    numeric_row(samples, i, x);
    map(x, z);
    for (Index f = 0; f < count; ++f) {
      const double value = z[static_cast<std::size_t>(f)];
      if (is_single) {
        features->single(i, f) = static_cast<float>(value);
      } else {
        features->full(i, f) = value;
      }
    }
  }
  preparation.keep(*this, features);
}

void FeatureMapNode::diagonal(const Prepared& x, IndexRange range, std::span<double> k) const {
  const Features& features = x.slot<Features>(*this);
  for (Index i = 0; i < range.size(); ++i) {
    k[static_cast<std::size_t>(i)] = x.precision() == Precision::single_precision
                                         ? squared_norm(features.single, range.begin + i)
                                         : squared_norm(features.full, range.begin + i);
  }
}

void FeatureMapNode::contract(TileContext<double>& /*context*/, ConstMatrixView<double> /*q*/,
                              std::span<double> /*gradient*/) const {}
void FeatureMapNode::contract_diagonal(const Prepared& /*x*/, IndexRange /*range*/, std::span<const double> /*q*/,
                                       std::span<double> /*gradient*/) const {}

template <class T>
void FeatureMapNode::fill(TileContext<T>& context, MatrixView<T> k) const {
  const Matrix<T>& x = context.x().template slot<Features>(*this).template of<T>();
  const Matrix<T>& y = context.y().template slot<Features>(*this).template of<T>();
  gemm(T(1), x.view().row_block(context.rows()), Transpose::no, y.view().row_block(context.columns()), Transpose::yes,
       T(0), k);
}
template void FeatureMapNode::fill(TileContext<float>&, MatrixView<float>) const;
template void FeatureMapNode::fill(TileContext<double>&, MatrixView<double>) const;

}  // namespace mercer
