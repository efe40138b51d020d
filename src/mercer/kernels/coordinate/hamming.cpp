#include "mercer/kernels/coordinate/hamming.h"

#include <cmath>

#include "mercer/kernels/coordinate/coded_columns.h"
#include "mercer/kernels/nodes/column_parameter.h"
#include "mercer/kernels/nodes/composite_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

enum class Comparison { count, all_equal };

template <Comparison comparison>
class EqualityNode final : public TemplatedTile<EqualityNode<comparison>> {
  using Base = TemplatedTile<EqualityNode<comparison>>;

 public:
  EqualityNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : Base(entry, std::move(parameters), std::move(children)), gamma_(number_or(this->parameters(), "gamma", 1)) {}

  Definiteness definiteness() const override {
    Definiteness result;
    result.infinitely_divisible = true;
    return result;
  }

  void request(KernelPreparation& /*preparation*/) const override {}
  void complete(KernelPreparation& preparation) const override {
    const CodedColumns* reference =
        preparation.reference() ? &preparation.reference()->template slot<Rows>(*this).codes : nullptr;
    preparation.keep(*this, std::make_shared<const Rows>(*this, CodedColumns(this->entry(), preparation.target().all(),
                                                                             reference, preparation.run())));
  }

  void diagonal(const Prepared& x, IndexRange range, std::span<double> k) const override {
    const Rows& rows = x.slot<Rows>(*this);
    for (Index i = 0; i < range.size(); ++i) {
      k[i] = rows.values[rows.codes.differences_from_itself(range.begin + i)];
    }
  }

  void contract(TileContext<double>& context, ConstMatrixView<double> q, std::span<double> gradient) const override {
    if (this->scale_count() == 0) {
      return;
    }
    const std::vector<double>& values = context.x().template slot<Rows>(*this).values;
    for_rows(context, [&](Index i, std::span<const std::int32_t> differences) {
      for (std::size_t j = 0; j < differences.size(); ++j) {
        gradient[0] -= q(i, static_cast<Index>(j)) * differences[j] * values[differences[j]];
      }
    });
  }
  void contract_diagonal(const Prepared& x, IndexRange range, std::span<const double> q,
                         std::span<double> gradient) const override {
    if (this->scale_count() == 0) {
      return;
    }
    std::vector<double> k(q.size());
    diagonal(x, range, k);
    for (std::size_t i = 0; i < k.size(); ++i) {
      gradient[0] += k[i] > 0 ? q[i] * k[i] * std::log(k[i]) / gamma_ : 0.0;
    }
  }
  bool has_input_derivatives() const override { return false; }

 private:
  friend Base;
  // One sample set, and the kernel for every number of differences that there may be.
  struct Rows {
    Rows(const EqualityNode& node, CodedColumns coded) : codes(std::move(coded)) {
      for (Index differences = 0; differences <= codes.columns(); ++differences) {
        values.push_back(node.of_differences(static_cast<double>(differences)));
      }
      single_values.assign(values.begin(), values.end());
    }
    template <class T>
    const std::vector<T>& values_as() const {
      if constexpr (std::is_same_v<T, float>) {
        return single_values;
      } else {
        return values;
      }
    }
    CodedColumns codes;
    std::vector<double> values;
    std::vector<float> single_values;
  };

  double of_differences(double differences) const {
    if constexpr (comparison == Comparison::all_equal) {
      return differences == 0 ? 1.0 : 0.0;
    } else {
      return std::exp(-gamma_ * differences);
    }
  }

  // Calls use(i, differences) for the rows of a tile.
  template <class T, class Use>
  void for_rows(const TileContext<T>& context, Use use) const {
    const CodedColumns& x = context.x().template slot<Rows>(*this).codes;
    const CodedColumns& y = context.y().template slot<Rows>(*this).codes;
    std::vector<std::int32_t> differences(context.column_count());
    for (Index i = 0; i < context.row_count(); ++i) {
      x.count_differences(context.rows().begin + i, y, context.columns().begin, differences);
      use(i, std::span<const std::int32_t>(differences));
    }
  }

  template <class T>
  void fill(TileContext<T>& context, MatrixView<T> k) const {
    const T* const values = context.x().template slot<Rows>(*this).template values_as<T>().data();
    for_rows(context, [&](Index i, std::span<const std::int32_t> differences) {
      T* const row = k.row_data(i);
      for (std::size_t j = 0; j < differences.size(); ++j) {
        row[j] = values[differences[j]];
      }
    });
  }

  double gamma_;
};

}  // namespace

const KernelEntry& hamming_entry() {
  static const KernelEntry entry{
      .name = "hamming",
      .formula = "exp(-gamma #{j: x_j != y_j})",
      .summary = "counts the columns that differ; for categorical columns",
      .definiteness = "positive definite",
      .input = KernelInput::categories,
      .parameters = {{.name = "gamma", .default_text = "1", .meaning = "price of one difference, as a logarithm"}},
      .make = make_node<EqualityNode<Comparison::count>>,
      .examples = {"hamming(gamma=0.7)", "hamming(gamma=0.2)[0, 2]"}};
  return entry;
}

const KernelEntry& delta_entry() {
  static const KernelEntry entry{.name = "delta",
                                 .formula = "1 if x = y, else 0",
                                 .summary = "equality of values; for categorical columns",
                                 .definiteness = "positive definite",
                                 .input = KernelInput::categories,
                                 .make = make_node<EqualityNode<Comparison::all_equal>>,
                                 .examples = {"delta()", "delta()[1]"}};
  return entry;
}

}  // namespace mercer
