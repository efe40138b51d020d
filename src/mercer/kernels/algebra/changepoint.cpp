#include "mercer/kernels/algebra/changepoint.h"

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/nodes/column_parameter.h"
#include "mercer/kernels/nodes/point_values.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

struct Sides {
  std::vector<double> distance;  // x_column − location
  std::vector<double> above;     // s
  std::vector<double> below;     // 1 − s, without cancellation
};

class ChangepointNode final : public TemplatedTile<ChangepointNode> {
 public:
  ChangepointNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : TemplatedTile(entry, std::move(parameters), std::move(children)),
        location_(number_or(this->parameters(), "location", 0)),
        steepness_(number_or(this->parameters(), "steepness", 1)),
        column_(static_cast<Index>(number_or(this->parameters(), "column", 0))) {}

  Definiteness definiteness() const override {
    const Definiteness a = child(0).definiteness();
    const Definiteness b = child(1).definiteness();
    if (!a.is_positive() || !b.is_positive()) {
      return Definiteness::indefinite();
    }
    Definiteness result;
    result.domain = intersect(a.domain, b.domain);
    return result;
  }

  void complete(KernelPreparation& preparation) const override {
    KernelNode::complete(preparation);
    const Samples& samples = preparation.target().samples();
    if (column_ >= samples.columns()) {
      throw InvalidArgument("changepoint: column = " + std::to_string(column_) + ": there are " +
                            std::to_string(samples.columns()) + " numeric columns, counted from 0");
    }
    auto sides = std::make_shared<Sides>();
    std::vector<double> x(samples.columns());
    for (Index i = 0; i < samples.size(); ++i) {
      numeric_row(samples, i, x);
      const double distance = x[column_] - location_;
      sides->distance.push_back(distance);
      sides->above.push_back(1 / (1 + std::exp(-steepness_ * distance)));
      sides->below.push_back(1 / (1 + std::exp(steepness_ * distance)));
    }
    preparation.keep(*this, sides);
  }

  void diagonal(const Prepared& x, IndexRange range, std::span<double> k) const override {
    const Sides& sides = x.slot<Sides>(*this);
    std::vector<double> below(k.size());
    child(0).diagonal(x, range, k);
    child(1).diagonal(x, range, below);
    for (std::size_t i = 0; i < k.size(); ++i) {
      const std::size_t at = static_cast<std::size_t>(range.begin) + i;
      k[i] = sides.above[at] * sides.above[at] * k[i] + sides.below[at] * sides.below[at] * below[i];
    }
  }

  void contract(TileContext<double>& context, ConstMatrixView<double> q, std::span<double> gradient) const override {
    ScratchMatrix<double> first = context.scratch();
    ScratchMatrix<double> second = context.scratch();
    const MatrixView<double> k1 = first.view();
    const MatrixView<double> k2 = second.view();
    child(0).tile(context, k1);
    child(1).tile(context, k2);
    const Sides& of_x = context.x().slot<Sides>(*this);
    const Sides& of_y = context.y().slot<Sides>(*this);
    for_pairs(context, [&](Index i, Index j, std::size_t a, std::size_t b) {
      // ∂k/∂s at either side, times q
      const double by_x = q(i, j) * (k1(i, j) * of_y.above[b] - k2(i, j) * of_y.below[b]) * bend(of_x, a);
      const double by_y = q(i, j) * (k1(i, j) * of_x.above[a] - k2(i, j) * of_x.below[a]) * bend(of_y, b);
      gradient[0] -= steepness_ * (by_x + by_y);
      gradient[1] += of_x.distance[a] * by_x + of_y.distance[b] * by_y;
      k1(i, j) = q(i, j) * of_x.above[a] * of_y.above[b];
      k2(i, j) = q(i, j) * of_x.below[a] * of_y.below[b];
    });
    child(0).contract(context, k1, child_gradient(*this, 0, gradient));
    child(1).contract(context, k2, child_gradient(*this, 1, gradient));
  }
  void contract_diagonal(const Prepared& x, IndexRange range, std::span<const double> q,
                         std::span<double> gradient) const override {
    const Sides& sides = x.slot<Sides>(*this);
    std::vector<double> k1(q.size());
    std::vector<double> k2(q.size());
    child(0).diagonal(x, range, k1);
    child(1).diagonal(x, range, k2);
    for (std::size_t i = 0; i < q.size(); ++i) {
      const std::size_t at = static_cast<std::size_t>(range.begin) + i;
      const double by_s = 2 * q[i] * (k1[i] * sides.above[at] - k2[i] * sides.below[at]) * bend(sides, at);
      gradient[0] -= steepness_ * by_s;
      gradient[1] += sides.distance[at] * by_s;
      k1[i] = q[i] * sides.above[at] * sides.above[at];
      k2[i] = q[i] * sides.below[at] * sides.below[at];
    }
    child(0).contract_diagonal(x, range, k1, child_gradient(*this, 0, gradient));
    child(1).contract_diagonal(x, range, k2, child_gradient(*this, 1, gradient));
  }

  bool has_input_derivatives() const override { return children_have_input_derivatives(*this); }
  void contract_inputs(TileContext<double>& context, ConstMatrixView<double> q, MatrixView<double> dx) const override {
    ScratchMatrix<double> first = context.scratch();
    ScratchMatrix<double> second = context.scratch();
    const MatrixView<double> k1 = first.view();
    const MatrixView<double> k2 = second.view();
    child(0).tile(context, k1);
    child(1).tile(context, k2);
    const Sides& of_x = context.x().slot<Sides>(*this);
    const Sides& of_y = context.y().slot<Sides>(*this);
    for_pairs(context, [&](Index i, Index j, std::size_t a, std::size_t b) {
      dx(i, column_) += steepness_ * bend(of_x, a) * q(i, j) * (k1(i, j) * of_y.above[b] - k2(i, j) * of_y.below[b]);
      k1(i, j) = q(i, j) * of_x.above[a] * of_y.above[b];
      k2(i, j) = q(i, j) * of_x.below[a] * of_y.below[b];
    });
    child(0).contract_inputs(context, k1, dx);
    child(1).contract_inputs(context, k2, dx);
  }
  void pair_derivatives(TileContext<double>& context, PairDerivatives& out) const override {
    const Sides& of_x = context.x().slot<Sides>(*this);
    const Sides& of_y = context.y().slot<Sides>(*this);
    const auto a = static_cast<std::size_t>(context.rows().begin);
    const auto b = static_cast<std::size_t>(context.columns().begin);
    for (std::size_t c = 0; c < 2; ++c) {
      PairDerivatives inner(out.dimension);
      PairDerivatives part(out.dimension);
      child(c).pair_derivatives(context, inner);
      scale_pair_derivatives(inner, side(of_x, a, c, out.dx.size()), side(of_y, b, c, out.dx.size()), part);
      out.value += part.value;
      for (std::size_t e = 0; e < out.dx.size(); ++e) {
        out.dx[e] += part.dx[e];
        out.dy[e] += part.dy[e];
      }
      for (std::size_t e = 0; e < out.mixed.size(); ++e) {
        out.mixed[e] += part.mixed[e];
      }
    }
  }

 private:
  friend TemplatedTile;

  /// s (1 − s), the derivative of s by its argument.
  static double bend(const Sides& sides, std::size_t i) { return sides.above[i] * sides.below[i]; }

  PointFunction side(const Sides& sides, std::size_t i, std::size_t c, std::size_t d) const {
    PointFunction f{c == 0 ? sides.above[i] : sides.below[i], std::vector<double>(d, 0.0)};
    f.slope[column_] = (c == 0 ? steepness_ : -steepness_) * bend(sides, i);
    return f;
  }

  template <class T, class Use>
  static void for_pairs(const TileContext<T>& context, Use use) {
    for (Index i = 0; i < context.row_count(); ++i) {
      for (Index j = 0; j < context.column_count(); ++j) {
        use(i, j, static_cast<std::size_t>(context.rows().begin + i),
            static_cast<std::size_t>(context.columns().begin + j));
      }
    }
  }

  template <class T>
  void fill(TileContext<T>& context, MatrixView<T> k) const {
    ScratchMatrix<T> block = context.scratch();
    const MatrixView<T> k2 = block.view();
    child(0).tile(context, k);
    child(1).tile(context, k2);
    const Sides& of_x = context.x().template slot<Sides>(*this);
    const Sides& of_y = context.y().template slot<Sides>(*this);
    for_pairs(context, [&](Index i, Index j, std::size_t a, std::size_t b) {
      k(i, j) = static_cast<T>(of_x.above[a] * of_y.above[b] * static_cast<double>(k(i, j)) +
                               of_x.below[a] * of_y.below[b] * static_cast<double>(k2(i, j)));
    });
  }

  double location_;
  double steepness_;
  Index column_;
};

}  // namespace

const KernelEntry& changepoint_entry() {
  static const KernelEntry entry{
      .name = "changepoint",
      .formula = "s(x) k1 s(y) + (1-s(x)) k2 (1-s(y)), s(x) = 1/(1 + exp(-steepness (x_column - location)))",
      .summary = "one kernel above a point of a column, another below it",
      .definiteness = "positive if both are",
      .parameters =
          {{.name = "location", .constraint = Constraint::any, .default_text = "0", .meaning = "where the change is"},
           {.name = "steepness", .default_text = "1", .meaning = "how sudden it is"},
           {.name = "column",
            .role = ParameterRole::number,
            .constraint = Constraint::nonnegative_integer,
            .default_text = "0",
            .meaning = "the numeric column along which it happens"}},
      .fewest_children = 2,
      .most_children = 2,
      .make = make_node<ChangepointNode>,
      .examples = {"changepoint(rbf(gamma=0.5), linear(), location=0.2, steepness=2, column=1)",
                   "changepoint(2*rbf(gamma=0.5), 0.5*rbf(gamma=2))"}};
  return entry;
}

}  // namespace mercer
