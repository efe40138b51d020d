#include "mercer/kernels/radial/radial_node.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/simd.h"
#include "mercer/kernels/dense_rows.h"
#include "mercer/kernels/registry.h"
#include "mercer/linalg/blas.h"

namespace mercer {

namespace {

// out_j = factor · max(0, a + b_j − 2 g_j)
template <class T>
inline void distance_row_body(T a, const T* b, const T* products, T factor, T* out, Index count) {
  for (Index j = 0; j < count; ++j) {
    const T squared = a + b[j] - T(2) * products[j];
    out[j] = factor * (squared > T(0) ? squared : T(0));
  }
}
MERCER_CLONES void distance_row(float a, const float* b, const float* products, float factor, float* out, Index count) {
  distance_row_body(a, b, products, factor, out, count);
}
MERCER_CLONES void distance_row(double a, const double* b, const double* products, double factor, double* out,
                                Index count) {
  distance_row_body(a, b, products, factor, out, count);
}

struct TilePair {
  Index row;
  Index column;
};

template <class T>
std::vector<TilePair> same_samples(const TileContext<T>& context) {
  std::vector<TilePair> pairs;
  context.for_same_samples([&](Index i, Index j) { pairs.push_back({i, j}); });
  return pairs;
}

template <class T>
T largest(std::span<const T> values) {
  return values.empty() ? T(0) : *std::max_element(values.begin(), values.end());
}

template <class T>
std::span<const T> norms_of(const Geometry<T>& geometry, IndexRange range) {
  return geometry.squared_norms().subspan(static_cast<std::size_t>(range.begin),
                                          static_cast<std::size_t>(range.size()));
}

// Whether any entry of a row is below the limit; branch-free, so that rows without any cost next to nothing.
template <class T>
MERCER_INLINE bool any_below_body(const T* values, Index count, T limit) {
  int found = 0;
  for (Index j = 0; j < count; ++j) {
    found |= values[j] < limit ? 1 : 0;
  }
  return found != 0;
}
MERCER_CLONES bool any_below(const float* values, Index count, float limit) {
  return any_below_body(values, count, limit);
}
MERCER_CLONES bool any_below(const double* values, Index count, double limit) {
  return any_below_body(values, count, limit);
}

// Which distances are summed from differences. `below`: a bound on u of all that may be; `too_coarse` decides on one.
// Where a profile is given, those that its slope makes too coarse (ProfileSlopes); otherwise those that lost six bits.
struct DistanceCare {
  const ProfileSlopes* slopes = nullptr;

  double below(double factor, double norms) const {
    return slopes != nullptr ? slopes->steep_below(factor, norms) : factor * norms / 64;
  }
  bool too_coarse(double u, double factor, double norms) const {
    return slopes != nullptr ? slopes->too_steep(u, factor, norms) : u < factor * norms / 64;
  }
};

// Row by row: the distances of a row, then `use(i, row)` while they are in the first-level cache.
template <class T, class Use>
void for_distance_rows(TileContext<T>& context, const GeometryKey& key, double factor, DistanceCare care,
                       MatrixView<T> out, Use use) {
  const ConstMatrixView<T> products = context.inner_products(key);
  const Geometry<T>& x = context.x().template geometry<T>(key);
  const Geometry<T>& y = context.y().template geometry<T>(key);
  const std::span<const T> a = norms_of(x, context.rows());
  const std::span<const T> b = norms_of(y, context.columns());
  const std::vector<TilePair> same = same_samples(context);
  const double most_norms = static_cast<double>(largest(a)) + static_cast<double>(largest(b));
  const double below = care.below(factor, most_norms);
  // u itself may be off by that: a value beyond the steep part may belong into it.
  constexpr double uncertainty = 16 * static_cast<double>(std::numeric_limits<T>::epsilon());
  const T limit = static_cast<T>(below > 0 ? below + uncertainty * factor * most_norms : 0.0);
  std::size_t next = 0;
  for (Index i = 0; i < out.rows(); ++i) {
    const T norm = a[i];
    T* const row = out.row_data(i);
    distance_row(norm, b.data(), products.row_data(i), static_cast<T>(factor), row, out.columns());
    if (limit > 0 && any_below(row, out.columns(), limit)) {
      for (Index j = 0; j < out.columns(); ++j) {
        const double norms = static_cast<double>(norm) + static_cast<double>(b[j]);
        const double least = static_cast<double>(row[j]) - uncertainty * factor * norms;
        if (row[j] < limit && care.too_coarse(std::max(0.0, least), factor, norms)) {
          row[j] =
              static_cast<T>(factor) * squared_difference(x, context.rows().begin + i, y, context.columns().begin + j);
        }
      }
    }
    for (; next < same.size() && same[next].row == i; ++next) {
      row[same[next].column] = T(0);
    }
    use(i, out.row(i));
  }
}

// What distances are multiplied by must be a number of the precision that they have (0 where the length scale is inf).
void require_factor(double factor, Precision precision, const KernelNode& node) {
  const bool is_single = precision == Precision::single_precision;
  const double rounded = is_single ? static_cast<double>(static_cast<float>(factor)) : factor;
  if (!std::isfinite(rounded) || (rounded == 0 && factor != 0)) {
    throw NumericalError("the width of " + node.spec() + " is out of the range of " +
                         (is_single ? "single precision: scale the data, or compute in double precision"
                                    : "double precision: scale the data"));
  }
}

}  // namespace

template <class T>
void squared_distances(TileContext<T>& context, const GeometryKey& key, T factor, MatrixView<T> out) {
  for_distance_rows(context, key, static_cast<double>(factor), {}, out, [](Index, std::span<T>) {});
}
template void squared_distances(TileContext<float>&, const GeometryKey&, float, MatrixView<float>);
template void squared_distances(TileContext<double>&, const GeometryKey&, double, MatrixView<double>);

RadialNode::RadialNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children, double unit)
    : KernelNode(entry, std::move(parameters), std::move(children)), unit_(unit), factor_(unit) {
  const Parameter* const gamma = this->parameters().find("gamma");
  const Parameter* const lengthscale = this->parameters().find("lengthscale");
  if (gamma != nullptr && lengthscale != nullptr) {
    throw InvalidArgument(entry.name + ": give gamma or lengthscale, not both (gamma = 1/(2 lengthscale^2))");
  }
  const Parameter* const width = gamma != nullptr ? gamma : lengthscale;
  if (width == nullptr) {
    return;
  }
  width_count_ = static_cast<Index>(width->value.numbers.size());
  width_ = gamma != nullptr ? Width::gamma : width->value.is_list ? Width::per_column : Width::scalar;
  if (!width->value.is_resolved()) {
    return;
  }
  if (width_ == Width::gamma) {
    factor_ = width->value.numbers[0];
  } else if (width_ == Width::scalar) {
    const double scale = width->value.numbers[0];
    factor_ = unit / (scale * scale);
  } else {
    factor_ = unit;
    for (const double scale : width->value.numbers) {
      key_.weights.push_back(1 / scale);
    }
  }
}

// Made when first asked for: the profile is the derived class's.
const ProfileSlopes& RadialNode::slopes() const {
  slopes_made_(
      [this] { slopes_ = std::make_unique<const ProfileSlopes>([this](std::span<double> u) { profile(u); }); });
  return *slopes_;
}

void RadialNode::request(KernelPreparation& preparation) const { preparation.need_geometry(key_, {.distances = true}); }

void RadialNode::complete(KernelPreparation& preparation) const {
  const Index largest = definiteness().domain.largest_dimension;
  const Prepared& x = preparation.target();
  require_factor(factor_, x.precision(), *this);
  const Index columns = x.precision() == Precision::single_precision ? x.geometry<float>(key_).dimension()
                                                                     : x.geometry<double>(key_).dimension();
  if (largest > 0 && columns > largest) {
    preparation.leave_domain("they have " + std::to_string(columns) + " columns, and " + entry().name +
                             " is positive definite in up to " + std::to_string(largest) +
                             (largest == 1 ? " dimension" : " dimensions") +
                             "; choose columns with a subscript, as in " + entry().name +
                             "()[0], or a larger dimension where the kernel has one");
  }
}

template <class T>
void RadialNode::fill(TileContext<T>& context, MatrixView<T> k) const {
  for_distance_rows(context, key_, factor_, {&slopes()}, k, [this](Index, std::span<T> row) { profile(row); });
}

void RadialNode::tile(TileContext<float>& context, MatrixView<float> k) const { fill(context, k); }
void RadialNode::tile(TileContext<double>& context, MatrixView<double> k) const { fill(context, k); }

void RadialNode::diagonal(const Prepared& /*x*/, IndexRange /*range*/, std::span<double> k) const {
  double zero[1] = {0};
  profile(std::span<double>(zero));
  std::fill(k.begin(), k.end(), zero[0]);
}

void RadialNode::parameter_derivative(Index /*p*/, std::span<double> /*u*/) const {
  throw NumericalError("kernel " + entry().name + " does not differentiate this parameter");
}

double RadialNode::column_weight(std::size_t column) const { return key_.weights.empty() ? 1.0 : key_.weights[column]; }

void RadialNode::weigh(TileContext<double>& context, ConstMatrixView<double> q, MatrixView<double> w,
                       MatrixView<double> u) const {
  for_distance_rows(context, key_, factor_, {&slopes()}, w, [&](Index i, std::span<double> row) {
    if (!u.empty()) {
      std::copy(row.begin(), row.end(), u.row_data(i));
    }
    first_derivative(row);
    for (std::size_t j = 0; j < row.size(); ++j) {
      row[j] *= q(i, static_cast<Index>(j));
    }
  });
}

void RadialNode::contract(TileContext<double>& context, ConstMatrixView<double> q, std::span<double> gradient) const {
  ScratchMatrix<double> u_block = context.scratch();
  const MatrixView<double> u = u_block.view();
  if (width_count_ > 0) {
    ScratchMatrix<double> w_block = context.scratch();
    const MatrixView<double> w = w_block.view();
    weigh(context, q, w, u);
    if (width_ == Width::per_column) {
      contract_columns(context, w, u, gradient);
    } else {
      contract_width(context, w, u, gradient);
    }
  }
  const Index others = parameters().scale_count() - width_count_;
  for (Index p = 0; p < others; ++p) {
    double total = 0;
    for_distance_rows(context, key_, factor_, {&slopes()}, u, [&](Index i, std::span<double> row) {
      parameter_derivative(p, row);
      for (std::size_t j = 0; j < row.size(); ++j) {
        total += q(i, static_cast<Index>(j)) * row[j];
      }
    });
    gradient[width_count_ + p] += total;
  }
}

void RadialNode::contract_width(TileContext<double>& /*context*/, ConstMatrixView<double> w, ConstMatrixView<double> u,
                                std::span<double> gradient) const {
  double total = 0;
  for (Index i = 0; i < w.rows(); ++i) {
    total += dot(w.row(i), u.row(i));
  }
  // ∂u/∂γ = u/γ; ∂u/∂ℓ = −2u/ℓ
  gradient[0] += width_ == Width::gamma ? total / factor_ : -2 * total / parameters().numbers("lengthscale")[0];
}

namespace {

double squared_length(std::span<const double> row) { return dot(row, row); }

// Adds w_ij (z_ic − z'_jc)² of near pairs to the totals of the columns, from differences, and takes their w out: where the
// profile is steep they count most, and products of whole rows lose just them.
void take_near_pairs(MatrixView<double> w, ConstMatrixView<double> u, ConstMatrixView<double> x,
                     ConstMatrixView<double> y, double factor, std::span<double> totals) {
  constexpr double near = 1e-4;  // of the squared lengths: the products keep 12 digits of what is farther
  std::vector<double> lengths;
  for (Index j = 0; j < y.rows(); ++j) {
    lengths.push_back(squared_length(y.row(j)));
  }
  for (Index i = 0; i < x.rows(); ++i) {
    const double own = squared_length(x.row(i));
    for (Index j = 0; j < y.rows(); ++j) {
      if (u(i, j) < near * factor * (own + lengths[j])) {
        for (std::size_t c = 0; c < totals.size(); ++c) {
          const double difference = x(i, static_cast<Index>(c)) - y(j, static_cast<Index>(c));
          totals[c] += difference == 0 ? 0 : w(i, j) * difference * difference;
        }
        w(i, j) = 0;
      }
    }
  }
}

}  // namespace

// Σ_ij w_ij (z_ic − z'_jc)² = Σ_i r_i z_ic² + Σ_j s_j z'_jc² − 2 Σ_i z_ic (W Z')_ic, all columns c by one GEMM.
void RadialNode::contract_columns(TileContext<double>& context, MatrixView<double> w, ConstMatrixView<double> u,
                                  std::span<double> gradient) const {
  const Geometry<double>& x = context.x().geometry<double>(key_);
  const Geometry<double>& y = context.y().geometry<double>(key_);
  const Index d = x.dimension();
  const DenseBlock x_rows(x, context.rows(), context.workspace());
  const DenseBlock y_rows(y, context.columns(), context.workspace());
  ScratchMatrix<double> product_block(context.workspace(), w.rows(), d);
  const MatrixView<double> product = product_block.view();
  std::vector<double> totals(d, 0.0);
  take_near_pairs(w, u, x_rows.view(), y_rows.view(), factor_, totals);
  gemm(1.0, w, Transpose::no, y_rows.view(), Transpose::no, 0.0, product);
  std::vector<double> column_sums(w.columns(), 0.0);
  for (Index i = 0; i < w.rows(); ++i) {
    double row_sum = 0;
    for (Index j = 0; j < w.columns(); ++j) {
      row_sum += w(i, j);
      column_sums[j] += w(i, j);
    }
    for (Index c = 0; c < d; ++c) {
      const double z = x_rows.view()(i, c);
      totals[c] += z * (row_sum * z - 2 * product(i, c));
    }
  }
  for (Index j = 0; j < w.columns(); ++j) {
    for (Index c = 0; c < d; ++c) {
      const double z = y_rows.view()(j, c);
      totals[c] += column_sums[j] * z * z;
    }
  }
  const std::vector<double>& scales = parameters().numbers("lengthscale");
  for (Index c = 0; c < d; ++c) {
    const auto column = static_cast<std::size_t>(x.frame()->column(c));
    gradient[column] += -2 * factor_ * totals[c] / scales[column];
  }
}

void RadialNode::contract_diagonal(const Prepared& /*x*/, IndexRange /*range*/, std::span<const double> q,
                                   std::span<double> gradient) const {
  // u = 0 whatever the width; only the other parameters can move φ(0).
  double total = 0;
  for (const double value : q) {
    total += value;
  }
  const Index others = parameters().scale_count() - width_count_;
  for (Index p = 0; p < others; ++p) {
    double zero[1] = {0};
    parameter_derivative(p, zero);
    gradient[width_count_ + p] += total * zero[0];
  }
}

void RadialNode::contract_inputs(TileContext<double>& context, ConstMatrixView<double> q, MatrixView<double> dx) const {
  ScratchMatrix<double> w_block = context.scratch();
  const MatrixView<double> w = w_block.view();
  weigh(context, q, w, {});
  const Geometry<double>& x = context.x().geometry<double>(key_);
  const DenseBlock x_rows(x, context.rows(), context.workspace());
  const DenseBlock y_rows(context.y().geometry<double>(key_), context.columns(), context.workspace());
  ScratchMatrix<double> product_block(context.workspace(), w.rows(), x.dimension());
  const MatrixView<double> product = product_block.view();
  gemm(1.0, w, Transpose::no, y_rows.view(), Transpose::no, 0.0, product);
  for (Index i = 0; i < w.rows(); ++i) {
    double row_sum = 0;
    for (const double value : w.row(i)) {
      row_sum += value;
    }
    for (Index c = 0; c < x.dimension(); ++c) {
      const Index column = x.frame()->column(c);
      const double pull = row_sum * x_rows.view()(i, c) - product(i, c);
      dx(i, column) += 2 * factor_ * column_weight(static_cast<std::size_t>(column)) * pull;
    }
  }
}

void RadialNode::pair_derivatives(TileContext<double>& context, PairDerivatives& out) const {
  double u[1];
  squared_distances(context, key_, factor_, MatrixView<double>(u, 1, 1));
  double value[1] = {u[0]};
  double first[1] = {u[0]};
  double second[1] = {u[0]};
  profile(std::span<double>(value));
  first_derivative(first);
  second_derivative(second);
  out.value = value[0];
  const Geometry<double>& x = context.x().geometry<double>(key_);
  const DenseBlock x_row(x, context.rows(), context.workspace());
  const DenseBlock y_row(context.y().geometry<double>(key_), context.columns(), context.workspace());
  std::vector<double> slope(out.dx.size(), 0.0);  // ∂u/∂x; ∂u/∂y is its negative
  for (Index c = 0; c < x.dimension(); ++c) {
    const auto column = static_cast<std::size_t>(x.frame()->column(c));
    slope[column] = 2 * factor_ * column_weight(column) * (x_row.view()(0, c) - y_row.view()(0, c));
    out.mixed[column * slope.size() + column] -= first[0] * 2 * factor_ * column_weight(column) * column_weight(column);
  }
  for (std::size_t a = 0; a < slope.size(); ++a) {
    out.dx[a] += first[0] * slope[a];
    out.dy[a] -= first[0] * slope[a];
    for (std::size_t b = 0; b < slope.size(); ++b) {
      out.mixed[a * slope.size() + b] -= second[0] * slope[a] * slope[b];
    }
  }
}

std::optional<SpectralSampler> RadialNode::unit_sampler(Index /*dimension*/) const { return std::nullopt; }

std::optional<SpectralSampler> RadialNode::spectral_sampler(Index dimension) const {
  std::optional<SpectralSampler> base = unit_sampler(dimension);
  if (!base) {
    return base;
  }
  if (width_ == Width::per_column && static_cast<Index>(key_.weights.size()) != dimension) {
    throw InvalidArgument("a list of " + std::to_string(key_.weights.size()) + " length scales for " +
                          std::to_string(dimension) + " columns");
  }
  // φ(unit ‖t/ℓ‖²): frequencies shrink as lengths grow.
  const double stretch = std::sqrt(factor_ / unit_);
  return SpectralSampler{base->amplitude, [draw = base->draw, weights = key_.weights, stretch](
                                              RandomStream& random, std::span<double> frequency) {
                           draw(random, frequency);
                           for (std::size_t c = 0; c < frequency.size(); ++c) {
                             frequency[c] *= stretch * (weights.empty() ? 1.0 : weights[c]);
                           }
                         }};
}

}  // namespace mercer
