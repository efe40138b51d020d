#include "mercer/kernels/coordinate/precomputed.h"

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/nodes/composite_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

// Which column of the other side's rows belongs to a sample; empty for samples that are not of the reference.
struct Columns {
  std::vector<Index> of_sample;
  bool are_known = false;
};

class PrecomputedNode final : public TemplatedTile<PrecomputedNode> {
 public:
  PrecomputedNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : TemplatedTile(entry, std::move(parameters), std::move(children)),
        has_id_column_(this->parameters().word("ids") == "first_column") {}

  Definiteness definiteness() const override {
    const std::string& word = parameters().word("definiteness");
    return word == "positive"      ? Definiteness::positive()
           : word == "conditional" ? Definiteness::conditional(1)
                                   : Definiteness::indefinite();
  }

  // Samples that are counted by row would get other numbers if some of them were left out.
  bool depends_on_reference() const override { return !has_id_column_; }
  bool depends_on_identity() const override { return true; }
  void request(KernelPreparation& preparation) const override {
    preparation.need_geometry(exact_geometry(), {.products = true});
  }

  void complete(KernelPreparation& preparation) const override {
    const Prepared& target = preparation.target();
    auto columns = std::make_shared<Columns>();
    const bool is_reference = !preparation.reference();
    columns->are_known = is_reference || preparation.reference()->samples().origin() == target.samples().origin();
    if (columns->are_known) {
      if (target.precision() == Precision::single_precision) {
        read_columns<float>(target, columns->of_sample);
      } else {
        read_columns<double>(target, columns->of_sample);
      }
    }
    preparation.keep(*this, columns);
    if (is_reference) {
      if (target.precision() == Precision::single_precision) {
        require_symmetric<float>(target);
      } else {
        require_symmetric<double>(target);
      }
    }
  }

  void diagonal(const Prepared& x, IndexRange range, std::span<double> k) const override {
    const Columns& columns = x.slot<Columns>(*this);
    if (!columns.are_known) {
      refuse_pairs();
    }
    for (Index i = 0; i < range.size(); ++i) {
      const Index at = range.begin + i;
      const Index column = columns.of_sample[at];
      k[i] = x.precision() == Precision::single_precision ? entry_of<float>(x, at, column)
                                                          : entry_of<double>(x, at, column);
    }
  }
  void contract(TileContext<double>& /*context*/, ConstMatrixView<double> /*q*/,
                std::span<double> /*gradient*/) const override {}
  void contract_diagonal(const Prepared& /*x*/, IndexRange /*range*/, std::span<const double> /*q*/,
                         std::span<double> /*gradient*/) const override {}
  bool has_input_derivatives() const override { return false; }

 private:
  friend TemplatedTile;

  [[noreturn]] static void refuse_pairs() {
    throw InvalidArgument(
        "precomputed: values between two samples that are not training samples are not known; "
        "compute what needs them (variances, distances) with a kernel of the inputs");
  }

  template <class T>
  static double entry_of(const Prepared& side, Index i, Index column) {
    const Geometry<T>& geometry = side.geometry<T>(exact_geometry());
    if (!geometry.is_sparse()) {
      return static_cast<double>(geometry.rows()(i, column));
    }
    std::vector<T> row(geometry.dimension());
    geometry.dense_row(i, row);
    return static_cast<double>(row[column]);
  }

  template <class T>
  void read_columns(const Prepared& side, std::vector<Index>& columns) const {
    const Index count = side.samples().columns();
    columns.resize(side.size());
    for (Index i = 0; i < side.size(); ++i) {
      double id = static_cast<double>(side.samples().row_id(i));
      if (has_id_column_) {
        id = entry_of<T>(side, i, 0);
      }
      if (!(id >= (has_id_column_ ? 1 : 0)) || !(id < static_cast<double>(count)) || id != std::floor(id)) {
        throw DataError("precomputed: training row " + std::to_string(i) + " is sample " +
                        std::to_string(static_cast<Index>(id)) + ", but its rows have " + std::to_string(count) +
                        " columns; row i must hold the kernel values with every training sample (a square matrix for "
                        "the training set)");
      }
      columns[i] = static_cast<Index>(id);
    }
  }

  // One pass over the values that a Gram matrix will read. Cost O(n²).
  template <class T>
  void require_symmetric(const Prepared& side) const {
    const std::vector<Index>& columns = side.slot<Columns>(*this).of_sample;
    const Geometry<T>& geometry = side.geometry<T>(exact_geometry());
    if (geometry.is_sparse()) {
      return;  // reading single entries of sparse rows would cost more than the Gram matrix itself
    }
    constexpr double tolerance = 1e-5;
    const ConstMatrixView<T> rows = geometry.rows();
    for (Index i = 0; i < side.size(); ++i) {
      for (Index j = 0; j < i; ++j) {
        const auto a = static_cast<double>(rows(i, columns[j]));
        const auto b = static_cast<double>(rows(j, columns[i]));
        if (std::abs(a - b) > tolerance * (1 + std::abs(a) + std::abs(b))) {
          throw DataError("precomputed: the matrix is not symmetric: training rows " + std::to_string(i) + " and " +
                          std::to_string(j) + " give " + std::to_string(a) + " and " + std::to_string(b));
        }
      }
    }
  }

  template <class T>
  void fill(TileContext<T>& context, MatrixView<T> k) const {
    const Columns& of_y = context.y().template slot<Columns>(*this);
    const Columns& of_x = context.x().template slot<Columns>(*this);
    if (of_y.are_known) {
      read_rows(context.x().template geometry<T>(exact_geometry()), context.rows(), of_y, context.columns(),
                [&](Index i, Index j, T value) { k(i, j) = value; });
    } else if (of_x.are_known) {
      read_rows(context.y().template geometry<T>(exact_geometry()), context.columns(), of_x, context.rows(),
                [&](Index j, Index i, T value) { k(i, j) = value; });
    } else {
      refuse_pairs();
    }
  }

  template <class T, class Use>
  static void read_rows(const Geometry<T>& geometry, IndexRange rows, const Columns& columns, IndexRange others,
                        Use use) {
    std::vector<T> row(geometry.dimension());
    for (Index i = 0; i < rows.size(); ++i) {
      const T* values = row.data();
      if (geometry.is_sparse()) {
        geometry.dense_row(rows.begin + i, row);
      } else {
        values = geometry.rows().row_data(rows.begin + i);
      }
      for (Index j = 0; j < others.size(); ++j) {
        use(i, j, values[columns.of_sample[others.begin + j]]);
      }
    }
  }

  bool has_id_column_;
};

}  // namespace

const KernelEntry& precomputed_entry() {
  static const KernelEntry entry{
      .name = "precomputed",
      .aliases = {"matrix"},
      .formula = "K[i, j]",
      .summary = "the samples are rows of a kernel matrix: row i holds k(x_i, z) for every training sample z",
      .definiteness = "as declared",
      .input = KernelInput::any,
      .parameters = {{.name = "ids",
                      .role = ParameterRole::word,
                      .default_text = "rows",
                      .meaning = "how samples are numbered: by row, or (LIBSVM) from 1 in the first column",
                      .words = {"rows", "first_column"}},
                     {.name = "definiteness",
                      .role = ParameterRole::word,
                      .default_text = "positive",
                      .meaning = "what is known of the matrix; conditional: of order 1",
                      .words = {"positive", "conditional", "indefinite"}}},
      .make = make_node<PrecomputedNode>,
      .examples = {"precomputed()"}};
  return entry;
}

}  // namespace mercer
