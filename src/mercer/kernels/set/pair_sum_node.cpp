#include "mercer/kernels/set/pair_sum_node.h"

namespace mercer {

namespace {

// Σ_t c_t k_t. Eight sums that do not wait for one another, added in a fixed order.
template <class T>
double weighted_sum(const double* c, const T* k, Index count) {
  constexpr Index lanes = 8;
  double sums[lanes] = {};
  Index t = 0;
  for (; t + lanes <= count; t += lanes) {
    for (Index l = 0; l < lanes; ++l) {
      sums[l] += c[t + l] * static_cast<double>(k[t + l]);
    }
  }
  double sum = 0;
  for (; t < count; ++t) {
    sum += c[t] * static_cast<double>(k[t]);
  }
  for (const double lane : sums) {
    sum += lane;
  }
  return sum;
}

}  // namespace

void PairSumNode::values(const Owners& x, IndexRange rows, const Owners& y, IndexRange columns, Workspace& workspace,
                         Precision precision, MatrixView<double> out) const {
  for (Index i = 0; i < out.rows(); ++i) {
    std::fill_n(out.row_data(i), out.columns(), 0.0);
  }
  for_each_value_block(x, x.of_all(rows), y, y.of_all(columns), workspace, precision,
                       [&](IndexRange s_block, IndexRange t_block, const auto& k) {
                         const Index first = y.owner(t_block.begin);
                         for (Index s = s_block.begin; s < s_block.end; ++s) {
                           double* const sums = out.row_data(x.owner(s) - rows.begin);
                           const double own = x.coefficients[s];
                           const auto* const values = k.row_data(s - s_block.begin);
                           for (Index j = first; j < columns.end && y.of(j).begin < t_block.end; ++j) {
                             const Index begin = std::max(y.of(j).begin, t_block.begin);
                             const Index end = std::min(y.of(j).end, t_block.end);
                             sums[j - columns.begin] +=
                                 own * weighted_sum(y.coefficients.data() + begin, values + (begin - t_block.begin),
                                                    end - begin);
                           }
                         }
                       });
}

void PairSumNode::add_gradient(const Owners& x, IndexRange rows, const Owners& y, IndexRange columns,
                               ConstMatrixView<double> q, Workspace& workspace, std::span<double> gradient) const {
  for_each_block<double>(x, x.of_all(rows), y, y.of_all(columns), workspace,
                         [&](TileContext<double>& context, IndexRange s_block, IndexRange t_block) {
                           ScratchMatrix<double> block = context.scratch();
                           const MatrixView<double> weights = block.view();
                           std::vector<Index> owners;
                           for (Index t = t_block.begin; t < t_block.end; ++t) {
                             owners.push_back(y.owner(t) - columns.begin);
                           }
                           for (Index s = 0; s < weights.rows(); ++s) {
                             const Index i = x.owner(s_block.begin + s) - rows.begin;
                             const double own = x.coefficients[s_block.begin + s];
                             for (Index t = 0; t < weights.columns(); ++t) {
                               weights(s, t) = q(i, owners[t]) * own * y.coefficients[t_block.begin + t];
                             }
                           }
                           child(0).contract(context, weights, gradient);
                         });
}

}  // namespace mercer
