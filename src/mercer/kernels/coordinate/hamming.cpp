#include "mercer/kernels/coordinate/hamming.h"

#include <cmath>
#include <limits>
#include <unordered_map>

#include "mercer/base/error.h"
#include "mercer/base/simd.h"
#include "mercer/kernels/nodes/column_parameter.h"
#include "mercer/kernels/nodes/composite_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

// The columns of one sample set as numbers, column by column: values of numeric columns, codes of categorical ones,
// NaN for an unknown level (it equals nothing).
struct Values {
  Matrix<double> columns;
  std::vector<std::vector<std::string>> levels;  // of the categorical columns, in their order
};

MERCER_CLONES void add_differences(double x, const double* y, double* count, Index n) {
  for (Index j = 0; j < n; ++j) {
    count[j] += x == y[j] ? 0.0 : 1.0;
  }
}

class ValueReader {
 public:
  ValueReader(const KernelEntry& entry, const Samples& all, const Values* reference)
      : entry_(entry), all_(all), reference_(reference) {}

  Values read() {
    if (all_.kind() == SampleKind::table) {
      const Table& table = all_.table();
      add_numeric(table.numbers());
      for (const Table::Column& column : table.others()) {
        if (column.values.kind() != SampleKind::categories) {
          throw_not_comparable("column '" + column.name + "' holds " + std::string(to_string(column.values.kind())));
        }
        add_categories(column.values.as<CategoryRows>());
      }
    } else if (all_.kind() == SampleKind::categories) {
      add_categories(all_.as<CategoryRows>());
    } else {
      add_numeric(all_);
    }
    if (reference_ != nullptr && static_cast<Index>(columns_.size()) != reference_->columns.rows()) {
      throw DataError(entry_.name + ": samples with " + std::to_string(columns_.size()) +
                      " columns where the kernel was prepared for " + std::to_string(reference_->columns.rows()));
    }
    Values values;
    values.levels = std::move(levels_);
    values.columns = Matrix<double>(static_cast<Index>(columns_.size()), all_.size());
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      std::copy(columns_[c].begin(), columns_[c].end(), values.columns.view().row_data(static_cast<Index>(c)));
    }
    return values;
  }

 private:
  [[noreturn]] void throw_not_comparable(const std::string& what) const {
    throw InvalidArgument(entry_.name + " compares categories and numbers, but " + what +
                          "; choose columns with a subscript, such as " + entry_.name + "()[colour]");
  }

  void add_numeric(const Samples& samples) {
    if (samples.columns() == 0) {
      return;
    }
    if (!samples.is_numeric()) {
      throw_not_comparable("the samples are " + std::string(to_string(samples.kind())));
    }
    require_finite(samples);
    const Samples dense = to_dense<double>(samples);
    const auto& rows = dense.as<DenseRows<double>>();
    for (Index c = 0; c < rows.columns; ++c) {
      std::vector<double> column(rows.rows);
      for (Index i = 0; i < rows.rows; ++i) {
        column[i] = rows(i, c);
      }
      columns_.push_back(std::move(column));
    }
  }

  // Codes count the levels of the reference, so that training and test samples speak of the same levels.
  void add_categories(const CategoryRows& rows) {
    const std::size_t number = levels_.size();
    std::vector<std::string> own(rows.levels.begin(), rows.levels.end());
    std::vector<double> code_of(own.size());
    const bool has_reference = reference_ != nullptr && number < reference_->levels.size();
    std::unordered_map<std::string, double> known;
    if (has_reference) {
      for (const std::string& level : reference_->levels[number]) {
        known.emplace(level, static_cast<double>(known.size()));
      }
    }
    for (std::size_t level = 0; level < own.size(); ++level) {
      const auto found = known.find(own[level]);
      code_of[level] = !has_reference         ? static_cast<double>(level)
                       : found != known.end() ? found->second
                                              : std::numeric_limits<double>::quiet_NaN();
    }
    std::vector<double> column(rows.rows);
    for (Index i = 0; i < rows.rows; ++i) {
      const std::int32_t code = rows.codes[i];
      column[i] = code < 0 ? std::numeric_limits<double>::quiet_NaN() : code_of[code];
    }
    columns_.push_back(std::move(column));
    levels_.push_back(has_reference ? reference_->levels[number] : own);
  }

  const KernelEntry& entry_;
  const Samples& all_;
  const Values* reference_;
  std::vector<std::vector<double>> columns_;
  std::vector<std::vector<std::string>> levels_;
};

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
    const Values* reference =
        preparation.reference() ? &preparation.reference()->template slot<Values>(*this) : nullptr;
    preparation.keep(*this, std::make_shared<const Values>(
                                ValueReader(this->entry(), preparation.target().all(), reference).read()));
  }

  void diagonal(const Prepared& x, IndexRange range, std::span<double> k) const override {
    const Values& values = x.slot<Values>(*this);
    for (Index i = 0; i < range.size(); ++i) {
      double differences = 0;
      for (Index c = 0; c < values.columns.rows(); ++c) {
        const double value = values.columns(c, range.begin + i);
        add_differences(value, &value, &differences, 1);
      }
      k[i] = of_differences(differences);
    }
  }

  void contract(TileContext<double>& context, ConstMatrixView<double> q, std::span<double> gradient) const override {
    if (this->scale_count() == 0) {
      return;
    }
    for_rows(context, [&](Index i, std::span<const double> differences) {
      for (std::size_t j = 0; j < differences.size(); ++j) {
        gradient[0] -= q(i, static_cast<Index>(j)) * differences[j] * of_differences(differences[j]);
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
  double of_differences(double differences) const {
    if constexpr (comparison == Comparison::all_equal) {
      return differences == 0 ? 1.0 : 0.0;
    } else {
      return std::exp(-gamma_ * differences);
    }
  }

  template <class T, class Use>
  void for_rows(const TileContext<T>& context, Use use) const {
    const Values& x = context.x().template slot<Values>(*this);
    const Values& y = context.y().template slot<Values>(*this);
    std::vector<double> differences(context.column_count());
    for (Index i = 0; i < context.row_count(); ++i) {
      std::fill(differences.begin(), differences.end(), 0.0);
      for (Index c = 0; c < x.columns.rows(); ++c) {
        add_differences(x.columns(c, context.rows().begin + i), y.columns.view().row_data(c) + context.columns().begin,
                        differences.data(), context.column_count());
      }
      use(i, std::span<const double>(differences));
    }
  }

  template <class T>
  void fill(TileContext<T>& context, MatrixView<T> k) const {
    for_rows(context, [&](Index i, std::span<const double> differences) {
      for (std::size_t j = 0; j < differences.size(); ++j) {
        k(i, static_cast<Index>(j)) = static_cast<T>(of_differences(differences[j]));
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
