#include "mercer/kernels/set/overlap_node.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/kernels/dot/dot_node.h"
#include "mercer/kernels/keyed_rows.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/set/set_samples.h"

namespace mercer {

namespace {

// One side: the sizes |A| or squared lengths of its samples, and the members where they are sets.
struct OverlapSide {
  std::vector<double> sizes;
  KeyedRows members;
};

void require_same_kind(const KernelNode& node, const KernelPreparation& preparation) {
  if (!preparation.reference()) {
    return;
  }
  const Samples& here = preparation.target().samples();
  const Samples& there = preparation.reference()->samples();
  if (here.is_numeric() != there.is_numeric()) {
    throw InvalidArgument(node.entry().name + ": these samples are of kind '" + std::string(to_string(here.kind())) +
                          "', the training samples were '" + std::string(to_string(there.kind())) + "'");
  }
}

// A squared length that overflows would make inf/inf of a quotient.
void require_finite_length(const KernelNode& node, double length, Index i, Precision precision) {
  const double most =
      precision == Precision::single_precision ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
  if (!(length <= most / 4)) {
    throw DataError(node.entry().name + ": row " + std::to_string(i) +
                    " is so long that its squared length overflows: scale the data");
  }
}

}  // namespace

void OverlapNode::request(KernelPreparation& preparation) const {
  const Samples& samples = preparation.target().samples();
  if (!samples.is_numeric() || !takes_vectors()) {
    require_sets(entry().name, samples);
  }
  require_same_kind(*this, preparation);
  if (samples.is_numeric()) {
    preparation.need_geometry(plain_geometry(), {.products = true});
  }
}

void OverlapNode::complete(KernelPreparation& preparation) const {
  const Prepared& target = preparation.target();
  auto side = std::make_shared<OverlapSide>();
  side->sizes.resize(target.size());
  if (target.samples().is_numeric()) {
    for (Index i = 0; i < target.size(); ++i) {
      const double length = target.squared_length(plain_geometry(), i);
      require_finite_length(*this, length, i, target.precision());
      side->sizes[i] = length;
    }
  } else {
    const auto& sets = target.samples().as<SetRows>();
    for (Index i = 0; i < sets.rows; ++i) {
      side->sizes[i] = static_cast<double>(sets[i].size());
    }
    side->members = KeyedRows(
        sets.rows,
        [&](Index i, FeatureList& out) {
          for (const std::int32_t member : sets[i]) {
            out.add(static_cast<std::uint64_t>(member), 1.0);
          }
        },
        preparation.run());
  }
  check_sizes(side->sizes.empty() ? 0.0 : *std::max_element(side->sizes.begin(), side->sizes.end()),
              target.precision());
  preparation.keep(*this, side);
}

void OverlapNode::diagonal(const Prepared& x, IndexRange range, std::span<double> k) const {
  const OverlapSide& side = x.slot<OverlapSide>(*this);
  for (Index i = 0; i < range.size(); ++i) {
    const double size = side.sizes[range.begin + i];
    k[i] = size;
    profile(k.subspan(static_cast<std::size_t>(i), 1), size, &size);
  }
}

template <class T>
void OverlapNode::fill(TileContext<T>& context, MatrixView<T> k) const {
  const OverlapSide& x = context.x().template slot<OverlapSide>(*this);
  const OverlapSide& y = context.y().template slot<OverlapSide>(*this);
  const bool vectors = context.x().samples().is_numeric();
  if (vectors) {
    dot_products(context, k);
  } else {
    ScratchMatrix<double> block(context.workspace(), k.rows(), k.columns());
    KeyedRows::inner_products(x.members, context.rows(), y.members, context.columns(), block.view());
    for (Index i = 0; i < k.rows(); ++i) {
      std::copy_n(block.view().row_data(i), k.columns(), k.row_data(i));  // whole numbers below 2^31
    }
  }
  const double* const b = y.sizes.data() + context.columns().begin;
  std::vector<double> row(k.columns());
  for (Index i = 0; i < k.rows(); ++i) {
    std::copy_n(k.row_data(i), k.columns(), row.begin());
    profile(row, x.sizes[context.rows().begin + i], b);
    for (Index j = 0; j < k.columns(); ++j) {
      k(i, j) = static_cast<T>(row[j]);
    }
  }
  if (vectors) {
    // Squares may underflow in the tile where the lengths, in double, have not.
    context.for_same_samples([&](Index i, Index j) {
      double value[1] = {b[j]};
      profile(value, b[j], b + j);
      k(i, j) = static_cast<T>(value[0]);
    });
  }
}

template void OverlapNode::fill<float>(TileContext<float>& context, MatrixView<float> k) const;
template void OverlapNode::fill<double>(TileContext<double>& context, MatrixView<double> k) const;

// Parameters of these kernels are fixed numbers.
void OverlapNode::contract(TileContext<double>& /*context*/, ConstMatrixView<double> /*q*/,
                           std::span<double> /*gradient*/) const {}
void OverlapNode::contract_diagonal(const Prepared& /*x*/, IndexRange /*range*/, std::span<const double> /*q*/,
                                    std::span<double> /*gradient*/) const {}

}  // namespace mercer
