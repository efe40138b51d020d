#include "mercer/kernels/set/best_match.h"

#include <algorithm>
#include <limits>

#include "mercer/kernels/registry.h"
#include "mercer/kernels/set/parts_node.h"
#include "mercer/kernels/set/set_samples.h"

namespace mercer {

namespace {

constexpr Index matches_at_once = 65536;

// The best partners in one row bag and a run of column bags.
struct BestPartners {
  struct Best {
    double value = -std::numeric_limits<double>::infinity();
    Index at = -1;
    void offer(double other, Index place) {
      if (other > value) {
        value = other;
        at = place;
      }
    }
  };
  Index columns = 0;
  std::vector<Best> of_rows;     // point a of the row bag and column bag j: a · columns + j
  std::vector<Best> of_columns;  // every point of the column bags

  Best& of_row(Index a, Index j) { return of_rows[a * columns + j]; }
};

class BestMatchNode final : public PartsNode {
 public:
  BestMatchNode(const KernelEntry& entry, const ParameterList& parameters, const std::vector<Kernel>& children)
      : PartsNode(entry, parameters, point_kernel(children), "points of bags") {}

  Definiteness definiteness() const override { return Definiteness::indefinite(); }

 protected:
  SplitSamples split(const Samples& samples) const override {
    require_bags(entry().name, samples);
    return {bag_points(samples.as<BagRows>()), bag_offsets(samples.as<BagRows>())};
  }

  void values(const Owners& x, IndexRange rows, const Owners& y, IndexRange columns, Workspace& workspace,
              Precision precision, MatrixView<double> out) const override {
    for_each_group(x, rows, y, columns, workspace, precision, [&](Index i, IndexRange group, BestPartners& best) {
      for (Index j = group.begin; j < group.end; ++j) {
        double of_rows = 0;
        for (Index a = 0; a < x.of(i).size() && y.count(j) > 0; ++a) {
          of_rows += best.of_row(a, j - group.begin).value;
        }
        double of_columns = 0;
        for (Index b = y.of(j).begin; b < y.of(j).end && x.count(i) > 0; ++b) {
          of_columns += best.of_columns[b - y.of_all(group).begin].value;
        }
        const bool empty = x.count(i) == 0 || y.count(j) == 0;
        out(i - rows.begin, j - columns.begin) = empty ? 0.0 : 0.5 * (of_rows / x.count(i) + of_columns / y.count(j));
      }
    });
  }

  // The slope of a maximum is that of the largest value.
  void add_gradient(const Owners& x, IndexRange rows, const Owners& y, IndexRange columns, ConstMatrixView<double> q,
                    Workspace& workspace, std::span<double> gradient) const override {
    for_each_group(x, rows, y, columns, workspace, Precision::double_precision,
                   [&](Index i, IndexRange group, BestPartners& best) {
                     for_each_block<double>(x, x.of(i), y, y.of_all(group), workspace,
                                            [&](TileContext<double>& context, IndexRange a_block, IndexRange b_block) {
                                              ScratchMatrix<double> block = context.scratch();
                                              weigh_matches(
                                                  x, i, y, group, best, a_block, b_block,
                                                  q.block(i - rows.begin, group.begin - columns.begin, 1, group.size()),
                                                  block.view());
                                              child(0).contract(context, block.view(), gradient);
                                            });
                   });
  }

 private:
  // weights(a, b) = what ∂k(a, b)/∂θ counts in Σ_j q_j ∂K(A, B_j)/∂θ.
  static void weigh_matches(const Owners& x, Index i, const Owners& y, IndexRange group, BestPartners& best,
                            IndexRange a_block, IndexRange b_block, ConstMatrixView<double> q,
                            MatrixView<double> weights) {
    for (Index a = 0; a < weights.rows(); ++a) {
      std::fill_n(weights.row_data(a), weights.columns(), 0.0);
      for (Index j = 0; j < group.size(); ++j) {
        const Index at = best.of_row(a_block.begin + a - x.of(i).begin, j).at;
        if (at >= b_block.begin && at < b_block.end) {
          weights(a, at - b_block.begin) += 0.5 * q(0, j) / x.count(i);
        }
      }
    }
    for (Index b = b_block.begin; b < b_block.end; ++b) {
      const Index at = best.of_columns[b - y.of_all(group).begin].at;
      if (at >= a_block.begin && at < a_block.end) {
        const Index j = y.owner(b);
        weights(at - a_block.begin, b - b_block.begin) += 0.5 * q(0, j - group.begin) / y.count(j);
      }
    }
  }

  // Calls use(i, group, best) for every row bag i and runs of column bags, short enough that the matches of a large bag
  // do not fill the memory.
  template <class Use>
  void for_each_group(const Owners& x, IndexRange rows, const Owners& y, IndexRange columns, Workspace& workspace,
                      Precision precision, Use use) const {
    for (Index i = rows.begin; i < rows.end; ++i) {
      const Index step = std::max<Index>(1, matches_at_once / std::max<Index>(1, x.of(i).size()));
      for (Index j = columns.begin; j < columns.end; j += step) {
        const IndexRange group{j, std::min(j + step, columns.end)};
        BestPartners best = partners(x, i, y, group, workspace, precision);
        use(i, group, best);
      }
    }
  }

  BestPartners partners(const Owners& x, Index i, const Owners& y, IndexRange group, Workspace& workspace,
                        Precision precision) const {
    BestPartners best;
    best.columns = group.size();
    best.of_rows.resize(x.of(i).size() * group.size());
    best.of_columns.resize(y.of_all(group).size());
    const Index first = y.of_all(group).begin;
    for_each_value_block(x, x.of(i), y, y.of_all(group), workspace, precision,
                         [&](IndexRange a_block, IndexRange b_block, const auto& k) {
                           for (Index b = b_block.begin; b < b_block.end; ++b) {
                             const Index j = y.owner(b) - group.begin;
                             for (Index a = a_block.begin; a < a_block.end; ++a) {
                               const auto value = static_cast<double>(k(a - a_block.begin, b - b_block.begin));
                               best.of_row(a - x.of(i).begin, j).offer(value, b);
                               best.of_columns[b - first].offer(value, a);
                             }
                           }
                         });
    return best;
  }
};

}  // namespace

const KernelEntry& best_match_entry() {
  static const KernelEntry entry{
      .name = "best_match",
      .aliases = {"set_matching"},
      .formula = "(mean over a in A of max over b in B of k(a,b) + mean over b of max over a of k(a,b)) / 2",
      .summary = "bags of vectors by the best partner of every vector",
      .definiteness = "indefinite",
      .input = KernelInput::bags,
      .fewest_children = 0,
      .most_children = 1,
      .make = make_node<BestMatchNode>,
      .examples = {"best_match(rbf(gamma=0.5))", "normalize(best_match(linear() + 2*rbf(gamma=0.1)))"}};
  return entry;
}

}  // namespace mercer
