#include "mercer/data/join_samples.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "mercer/base/error.h"

namespace mercer {

namespace {

template <class T>
Samples joined_rows(const DenseRows<T>& a, const DenseRows<T>& b) {
  if (a.columns != b.columns) {
    throw InvalidArgument("samples of " + std::to_string(a.columns) + " and " + std::to_string(b.columns) +
                          " columns cannot be joined");
  }
  Matrix<T> all(a.rows + b.rows, a.columns);
  for (Index i = 0; i < all.rows(); ++i) {
    for (Index j = 0; j < a.columns; ++j) {
      all(i, j) = i < a.rows ? a(i, j) : b(i - a.rows, j);
    }
  }
  return make_dense(std::move(all));
}

// Appends the elements of all rows, and where each ends.
template <class E>
void append_variable_rows(const E* elements, const std::int64_t* offsets, Index rows, std::vector<E>& all,
                          std::vector<std::int64_t>& ends) {
  if (rows == 0) {
    return;
  }
  all.insert(all.end(), elements + offsets[0], elements + offsets[rows]);
  for (Index i = 0; i < rows; ++i) {
    ends.push_back(ends.back() + offsets[i + 1] - offsets[i]);
  }
}

template <class T>
Samples joined_rows(const SparseRows<T>& a, const SparseRows<T>& b) {
  std::vector<T> values;
  std::vector<std::int32_t> columns;
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::int64_t> same = {0};
  for (const SparseRows<T>* part : {&a, &b}) {
    append_variable_rows(part->values, part->offsets, part->rows, values, offsets);
    append_variable_rows(part->column_numbers, part->offsets, part->rows, columns, same);
  }
  return make_sparse(std::move(values), std::move(columns), std::move(offsets), std::max(a.columns, b.columns));
}

Samples joined_rows(const StringRows& a, const StringRows& b) {
  std::vector<std::string> all;
  for (const StringRows* part : {&a, &b}) {
    for (Index i = 0; i < part->rows; ++i) {
      all.emplace_back((*part)[i]);
    }
  }
  return make_strings(all);
}

Samples joined_rows(const SetRows& a, const SetRows& b) {
  std::vector<std::vector<std::int32_t>> all;
  for (const SetRows* part : {&a, &b}) {
    for (Index i = 0; i < part->rows; ++i) {
      all.emplace_back((*part)[i].begin(), (*part)[i].end());
    }
  }
  return make_sets(all);
}

Samples joined_rows(const BagRows& a, const BagRows& b) {
  std::vector<std::vector<std::vector<double>>> all;
  for (const BagRows* part : {&a, &b}) {
    for (Index i = 0; i < part->rows; ++i) {
      auto& bag = all.emplace_back();
      for (Index p = part->offsets[i]; p < part->offsets[i + 1]; ++p) {
        auto& point = bag.emplace_back();
        for (Index j = 0; j < part->points.columns; ++j) {
          point.push_back(part->points(p, j));
        }
      }
    }
  }
  return make_bags(all);
}

// Every edge in both directions is an undirected graph written twice: directed edges keep what is there.
Samples joined_rows(const GraphRows& a, const GraphRows& b) {
  std::vector<Graph> all;
  for (const GraphRows* part : {&a, &b}) {
    for (Index g = 0; g < part->rows; ++g) {
      Graph& graph = all.emplace_back();
      const Index first = part->vertex_offsets[g];
      graph.vertices = part->vertex_offsets[g + 1] - first;
      for (Index v = 0; v < graph.vertices; ++v) {
        for (Index e = part->edge_offsets[first + v]; e < part->edge_offsets[first + v + 1]; ++e) {
          graph.edges.push_back({static_cast<std::int32_t>(v), part->neighbors[e]});
          if (part->edge_labels != nullptr) {
            graph.edge_labels.push_back(part->edge_labels[e]);
          }
        }
        if (part->vertex_labels != nullptr) {
          graph.vertex_labels.push_back(part->vertex_labels[first + v]);
        }
      }
    }
  }
  return make_graphs(all, EdgeDirection::directed);
}

Samples joined_rows(const CategoryRows& a, const CategoryRows& b) {
  std::vector<std::string> levels(a.levels.begin(), a.levels.end());
  std::vector<std::int32_t> numbers;  // of b's levels among all
  for (const std::string& level : b.levels) {
    const auto found = std::find(levels.begin(), levels.end(), level);
    numbers.push_back(static_cast<std::int32_t>(found - levels.begin()));
    if (found == levels.end()) {
      levels.push_back(level);
    }
  }
  std::vector<std::int32_t> codes(a.codes, a.codes + a.rows);
  for (Index i = 0; i < b.rows; ++i) {
    codes.push_back(b.codes[i] < 0 ? -1 : numbers[b.codes[i]]);
  }
  return make_categories(std::move(codes), std::move(levels));
}

Samples joined_rows(const std::shared_ptr<const Table>& a, const std::shared_ptr<const Table>& b) {
  if (!std::ranges::equal(a->numeric_names(), b->numeric_names()) || a->others().size() != b->others().size() ||
      a->indicators() != b->indicators()) {
    throw InvalidArgument("tables with different columns cannot be joined");
  }
  std::vector<Table::Column> others;
  for (std::size_t c = 0; c < a->others().size(); ++c) {
    if (a->others()[c].name != b->others()[c].name) {
      throw InvalidArgument("tables with different columns cannot be joined: '" + a->others()[c].name +
                            "' stands beside '" + b->others()[c].name + "'");
    }
    others.push_back({a->others()[c].name, join_samples(a->others()[c].values, b->others()[c].values)});
  }
  return make_table(a->with(join_samples(a->numeric(), b->numeric()), std::move(others)));
}

}  // namespace

Samples join_samples(const Samples& a, const Samples& b) {
  if (a.kind() != b.kind()) {
    throw InvalidArgument("samples of different kinds cannot be joined: " + std::string(to_string(a.kind())) + " and " +
                          std::string(to_string(b.kind())));
  }
  return std::visit(
      [&]<class A, class B>(const A& rows_a, const B& rows_b) -> Samples {
        if constexpr (std::is_same_v<A, B>) {
          return joined_rows(rows_a, rows_b);
        } else {
          // The kinds agree, so that only the precision of numbers differs.
          return join_samples(to_precision<double>(a), to_precision<double>(b));
        }
      },
      a.rows(), b.rows());
}

}  // namespace mercer
