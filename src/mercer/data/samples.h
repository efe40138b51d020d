// Samples: the inputs x_1 … x_n of a learning problem, of any kind, seen without a copy.
//
// A Samples is a cheap handle: a view of rows (dense, sparse, strings, sets, bags of vectors, graphs, category codes,
// or a Table of named columns of these) and, where the library made the memory itself, a share in its ownership.
// Every Samples also knows who its rows are: two rows are *the same sample* if they come from the same origin and
// have the same row number there. Equal values are not enough: `white` depends on that.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "mercer/base/index.h"
#include "mercer/base/words.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

/// Real vectors as rows; element (i, j) is data[i * row_stride + j * column_stride], so row- and column-major and
/// column subsets with a constant step are all views.
template <class T>
struct DenseRows {
  const T* data = nullptr;
  Index rows = 0;
  Index columns = 0;
  Index row_stride = 0;
  Index column_stride = 1;

  T operator()(Index i, Index j) const { return data[i * row_stride + j * column_stride]; }
};

/// Compressed sparse rows. Column numbers are ascending within a row, from 0, and below `columns`.
template <class T>
struct SparseRows {
  const T* values = nullptr;
  const std::int32_t* column_numbers = nullptr;
  const std::int64_t* offsets = nullptr;  ///< rows + 1 of them; offsets[0] need not be 0
  Index rows = 0;
  Index columns = 0;
};

/// Byte strings (UTF-8 where a kernel cares).
struct StringRows {
  const char* bytes = nullptr;
  const std::int64_t* offsets = nullptr;
  Index rows = 0;

  std::string_view operator[](Index i) const {
    return {bytes + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
  }
};

/// Sets of non-negative integers, ascending and without repetition.
struct SetRows {
  const std::int32_t* members = nullptr;
  const std::int64_t* offsets = nullptr;
  Index rows = 0;

  std::span<const std::int32_t> operator[](Index i) const {
    return {members + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
  }
};

/// Bags of vectors of one dimension: bag i holds the points offsets[i] … offsets[i+1]-1.
struct BagRows {
  DenseRows<double> points;
  const std::int64_t* offsets = nullptr;
  Index rows = 0;
};

/// Graphs with labelled vertices and edges. Graph i owns vertices vertex_offsets[i] …, and the neighbours of vertex v
/// (numbered over all graphs) are neighbours[edge_offsets[v] …], numbered within their graph.
struct GraphRows {
  const std::int64_t* vertex_offsets = nullptr;
  const std::int64_t* edge_offsets = nullptr;
  const std::int32_t* neighbors = nullptr;
  const std::int32_t* vertex_labels = nullptr;  ///< null: unlabelled
  const std::int32_t* edge_labels = nullptr;    ///< null: unlabelled
  Index rows = 0;
};

/// A categorical column: code i names levels[codes[i]]; -1 is a level that was not known when the levels were fixed.
struct CategoryRows {
  const std::int32_t* codes = nullptr;
  std::span<const std::string> levels;
  Index rows = 0;
};

class Table;

enum class SampleKind { dense, sparse, strings, sets, bags, graphs, categories, table };
constexpr auto words_of(SampleKind) {
  return std::array{Word{SampleKind::dense, "dense"},
                    Word{SampleKind::sparse, "sparse"},
                    Word{SampleKind::strings, "strings"},
                    Word{SampleKind::sets, "sets"},
                    Word{SampleKind::bags, "bags"},
                    Word{SampleKind::graphs, "graphs"},
                    Word{SampleKind::categories, "categories"},
                    Word{SampleKind::table, "table"}};
}
constexpr std::string_view to_string(SampleKind kind) { return word_of(kind); }

class Samples {
 public:
  using Rows = std::variant<DenseRows<float>, DenseRows<double>, SparseRows<float>, SparseRows<double>, StringRows,
                            SetRows, BagRows, GraphRows, CategoryRows, std::shared_ptr<const Table>>;

  /// No rows, no columns.
  Samples();
  /// A view of memory that the caller keeps alive, or that `owner` keeps alive. Its rows are new samples: no other
  /// Samples has their identity. Contents are trusted; require_valid() checks sparse rows from outside.
  explicit Samples(Rows rows, std::shared_ptr<const void> owner = nullptr);

  SampleKind kind() const;
  Index size() const;
  /// Dense or sparse real vectors.
  bool is_numeric() const;
  /// The number of columns of dense and sparse samples, of a table's columns, and 1 for everything else.
  Index columns() const;

  const Rows& rows() const { return rows_; }
  /// The rows as one alternative; throws InvalidArgument naming both kinds where they are of another kind. The result
  /// is a view: keep the Samples while it is used.
  template <class R>
  const R& as() const;
  const Table& table() const;

  /// Rows `numbers` (repetitions allowed), in that order: a copy of those rows that keeps their identity.
  Samples select(std::span<const Index> numbers) const;
  /// Rows [begin, end): a view, no copy, identity kept. (For a table: a table of views.)
  Samples slice(IndexRange range) const;

  /// Identity of rows: the same origin and the same row_id mean the same sample.
  const void* origin() const { return origin_.get(); }
  Index row_id(Index i) const { return row_ids_ ? (*row_ids_)[i] : first_row_ + i; }
  /// These rows with the identity of others (a scaled or converted copy is still the same sample).
  Samples with_identity_of(const Samples& other) const;

  /// What is known of the targets of these rows before a fit, rows × outputs: what a prior function says of them
  /// (models/prior.h). It goes with the rows wherever they are selected, sliced or converted; no kernel sees it.
  const Matrix<double>* offsets() const { return offsets_.get(); }
  /// InvalidArgument where there is not one row of them per row.
  Samples with_offsets(Matrix<double> offsets) const;

 private:
  Rows rows_;
  std::shared_ptr<const void> owner_;
  std::shared_ptr<const char> origin_;
  std::shared_ptr<const std::vector<Index>> row_ids_;  // null: first_row_, first_row_ + 1, …
  Index first_row_ = 0;
  std::shared_ptr<const Matrix<double>> offsets_;
};

/// Named columns of equal length. The numeric ones stand side by side in one dense or sparse block, so that a kernel
/// on all of them needs no gathering; every other column is a Samples of its own.
class Table {
 public:
  struct Column {
    std::string name;
    Samples values;
  };

  /// Checks that lengths agree and names are unique; `numeric_names` may be empty (then columns have numbers only).
  Table(Samples numeric, std::vector<std::string> numeric_names, std::vector<Column> others, Index indicators = 0,
        std::vector<std::string> indicator_sources = {});
  /// A table of the same columns, of other rows or in another form.
  Table with(Samples numeric, std::vector<Column> others) const;
  Table with(Samples numeric) const { return with(std::move(numeric), others_); }

  Index size() const { return size_; }
  const Samples& numeric() const { return numeric_; }
  /// So many of the numeric columns, the last ones, are 0 or 1 and say again what other columns hold: which level of a
  /// category it is, whether a number was missing. Kernels on vectors see them; whoever looks at categories and numbers
  /// one by one passes them over, and scaling leaves them alone.
  Index indicators() const { return indicators_; }
  /// Of every indicator the column that it says again, for subscripts that name this column; "" where they do not see it.
  /// Empty: none do.
  std::span<const std::string> indicator_sources() const { return indicator_sources_; }
  /// The numeric columns without the indicators.
  Samples numbers() const;
  std::span<const std::string> numeric_names() const { return numeric_names_; }
  std::span<const Column> others() const { return others_; }

 private:
  Samples numeric_;
  std::vector<std::string> numeric_names_;
  std::vector<Column> others_;
  Index indicators_ = 0;
  std::vector<std::string> indicator_sources_;
  Index size_ = 0;
};

/// Samples that own their memory. Shapes, offsets and column numbers are checked: InvalidArgument.
Samples make_dense(std::vector<double> values, Index rows, Index columns);
Samples make_dense(std::vector<float> values, Index rows, Index columns);
Samples make_dense(Matrix<double> values);
Samples make_dense(Matrix<float> values);
Samples make_sparse(std::vector<double> values, std::vector<std::int32_t> column_numbers,
                    std::vector<std::int64_t> offsets, Index columns);
Samples make_sparse(std::vector<float> values, std::vector<std::int32_t> column_numbers,
                    std::vector<std::int64_t> offsets, Index columns);
/// 64-bit column numbers are accepted and stored with 32 bits.
Samples make_sparse(std::vector<double> values, std::span<const std::int64_t> column_numbers,
                    std::vector<std::int64_t> offsets, Index columns);
Samples make_strings(std::span<const std::string> strings);
/// Members are sorted and made unique; negative ones and 2³¹−1, one more than columns can count, are rejected.
Samples make_sets(std::span<const std::vector<std::int32_t>> sets);
/// All vectors of all bags have the same number of components.
Samples make_bags(std::span<const std::vector<std::vector<double>>> bags);
/// Codes are -1 or the number of a level.
Samples make_categories(std::vector<std::int32_t> codes, std::vector<std::string> levels);
/// Levels in order of first appearance.
Samples make_categories(std::span<const std::string> values);
Samples make_table(Table table);

/// One graph as a list of edges between vertices 0 … vertices-1.
struct Graph {
  Index vertices = 0;
  std::vector<std::array<std::int32_t, 2>> edges;
  std::vector<std::int32_t> vertex_labels;  ///< empty, or one per vertex
  std::vector<std::int32_t> edge_labels;    ///< empty, or one per edge
};
enum class EdgeDirection { undirected, directed };

/// Neighbours are ascending and without repetition; an undirected edge is stored at both ends, and may be listed in
/// both directions. Either all graphs have vertex (edge) labels or none has.
Samples make_graphs(std::span<const Graph> graphs, EdgeDirection direction = EdgeDirection::undirected);

/// A copy whose numeric values are dense (sparse rows are written out), row-major, of type T = float or double;
/// identity kept. Of a table the numeric block is converted. Other kinds come back as they are. The samples
/// themselves come back, without a copy, where they are of that form already.
template <class T>
Samples to_dense(const Samples& samples);

/// The same, but sparse rows stay sparse: only the type of the numbers changes.
template <class T>
Samples to_precision(const Samples& samples);

/// Throws InvalidArgument naming the row where offsets decrease or column numbers are not ascending within [0,
/// columns).
template <class T>
void require_valid(const SparseRows<T>& rows);

/// Throws DataError naming row and column of the first NaN or infinity among numeric values.
void require_finite(const Samples& samples);

/// InvalidArgument.
[[noreturn]] void refuse_as_real_vectors(const Samples& samples);

/// use(rows) with the dense or sparse rows; InvalidArgument for samples of another kind.
template <class Use>
auto visit_numeric(const Samples& samples, Use use) {
  return std::visit(
      [&](const auto& rows) -> std::invoke_result_t<Use&, const DenseRows<double>&> {
        if constexpr (requires { rows.columns; }) {
          return use(rows);
        } else {
          refuse_as_real_vectors(samples);
        }
      },
      samples.rows());
}

}  // namespace mercer
