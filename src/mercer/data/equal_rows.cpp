#include "mercer/data/equal_rows.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <string_view>
#include <unordered_map>

namespace mercer {

namespace {

std::size_t mixed(std::size_t seed, std::size_t value) {
  return seed ^ (value + 0x9e3779b97f4a7c15ULL + (seed << 6U) + (seed >> 2U));
}

// Calls f(column, value) for the numbers of a row that are not 0, columns ascending.
template <class T, class F>
void for_nonzeros(const DenseRows<T>& rows, Index i, F f) {
  for (Index c = 0; c < rows.columns; ++c) {
    if (rows(i, c) != T(0)) {
      f(c, static_cast<double>(rows(i, c)));
    }
  }
}
template <class T, class F>
void for_nonzeros(const SparseRows<T>& rows, Index i, F f) {
  for (std::int64_t at = rows.offsets[i]; at < rows.offsets[i + 1]; ++at) {
    if (rows.values[at] != T(0)) {
      f(static_cast<Index>(rows.column_numbers[at]), static_cast<double>(rows.values[at]));
    }
  }
}

struct Entry {
  Index column;
  double value;
  bool operator==(const Entry&) const = default;
};

template <class Rows>
constexpr bool is_numeric_rows = requires(const Rows& rows) { for_nonzeros(rows, Index{0}, [](Index, double) {}); };

template <class Rows>
std::vector<Entry> entries(const Rows& rows, Index i) {
  std::vector<Entry> found;
  for_nonzeros(rows, i, [&](Index column, double value) { found.push_back({column, value}); });
  return found;
}

template <class T, class U>
bool equal_dense(const DenseRows<T>& x, Index i, const DenseRows<U>& y, Index j) {
  for (Index c = 0; c < x.columns; ++c) {
    if (static_cast<double>(x(i, c)) != static_cast<double>(y(j, c))) {
      return false;
    }
  }
  return true;
}

bool equal_in_tables(const Table& x, Index i, const Table& y, Index j) {
  if (x.others().size() != y.others().size() || x.numeric().columns() != y.numeric().columns()) {
    return false;
  }
  for (std::size_t c = 0; c < x.others().size(); ++c) {
    if (!equal_rows(x.others()[c].values, i, y.others()[c].values, j)) {
      return false;
    }
  }
  return x.numeric().columns() == 0 || equal_rows(x.numeric(), i, y.numeric(), j);
}

std::string_view level_of(const CategoryRows& rows, Index i) {
  return rows.codes[i] < 0 ? std::string_view() : std::string_view(rows.levels[rows.codes[i]]);
}

std::size_t hash_of(const Samples& samples, Index i) {
  return std::visit(
      [i]<class Rows>(const Rows& rows) -> std::size_t {
        std::size_t hash = 0;
        if constexpr (is_numeric_rows<Rows>) {
          for_nonzeros(rows, i, [&](Index column, double value) {
            hash = mixed(mixed(hash, static_cast<std::size_t>(column)), std::hash<double>()(value));
          });
        } else if constexpr (std::is_same_v<Rows, StringRows>) {
          hash = std::hash<std::string_view>()(rows[i]);
        } else if constexpr (std::is_same_v<Rows, CategoryRows>) {
          hash = std::hash<std::string_view>()(level_of(rows, i));
        } else if constexpr (std::is_same_v<Rows, std::shared_ptr<const Table>>) {
          hash = rows->numeric().columns() > 0 ? hash_of(rows->numeric(), i) : 0;
          for (const Table::Column& column : rows->others()) {
            hash = mixed(hash, hash_of(column.values, i));
          }
        }
        return hash;
      },
      samples.rows());
}

// −1, 0 or 1, column by column; what is not among the entries is 0.
int compared(const std::vector<Entry>& x, const std::vector<Entry>& y) {
  std::size_t a = 0;
  std::size_t b = 0;
  while (a < x.size() || b < y.size()) {
    const Index column_x = a < x.size() ? x[a].column : std::numeric_limits<Index>::max();
    const Index column_y = b < y.size() ? y[b].column : std::numeric_limits<Index>::max();
    const double value_x = column_x <= column_y ? x[a].value : 0.0;
    const double value_y = column_y <= column_x ? y[b].value : 0.0;
    if (value_x < value_y || value_y < value_x) {
      return value_x < value_y ? -1 : 1;
    }
    a += column_x <= column_y ? 1 : 0;
    b += column_y <= column_x ? 1 : 0;
  }
  return 0;
}

template <class T>
int compared_dense(const DenseRows<T>& rows, Index i, Index j) {
  for (Index c = 0; c < rows.columns; ++c) {
    if (rows(i, c) < rows(j, c) || rows(j, c) < rows(i, c)) {
      return rows(i, c) < rows(j, c) ? -1 : 1;
    }
  }
  return 0;
}

int compared(const Samples& samples, Index i, Index j) {
  return std::visit(
      [i, j]<class Rows>(const Rows& rows) -> int {
        if constexpr (requires { compared_dense(rows, i, j); }) {
          return compared_dense(rows, i, j);
        } else if constexpr (is_numeric_rows<Rows>) {
          return compared(entries(rows, i), entries(rows, j));
        } else if constexpr (std::is_same_v<Rows, StringRows>) {
          return std::string_view(rows[i]).compare(rows[j]);
        } else if constexpr (std::is_same_v<Rows, CategoryRows>) {
          return level_of(rows, i).compare(level_of(rows, j));
        } else if constexpr (std::is_same_v<Rows, std::shared_ptr<const Table>>) {
          int order = rows->numeric().columns() > 0 ? compared(rows->numeric(), i, j) : 0;
          for (std::size_t c = 0; c < rows->others().size() && order == 0; ++c) {
            order = compared(rows->others()[c].values, i, j);
          }
          return order;
        } else {
          return 0;
        }
      },
      samples.rows());
}

}  // namespace

bool equal_rows(const Samples& x, Index i, const Samples& y, Index j) {
  if (x.columns() != y.columns()) {
    return false;
  }
  return std::visit(
      [i, j]<class X, class Y>(const X& of_x, const Y& of_y) {
        if constexpr (is_numeric_rows<X> && is_numeric_rows<Y>) {
          if constexpr (requires { equal_dense(of_x, i, of_y, j); }) {
            return equal_dense(of_x, i, of_y, j);
          } else {
            return entries(of_x, i) == entries(of_y, j);
          }
        } else if constexpr (std::is_same_v<X, StringRows> && std::is_same_v<Y, StringRows>) {
          return of_x[i] == of_y[j];
        } else if constexpr (std::is_same_v<X, CategoryRows> && std::is_same_v<Y, CategoryRows>) {
          return of_x.codes[i] >= 0 && of_y.codes[j] >= 0 && level_of(of_x, i) == level_of(of_y, j);
        } else if constexpr (std::is_same_v<X, std::shared_ptr<const Table>> && std::is_same_v<X, Y>) {
          return equal_in_tables(*of_x, i, *of_y, j);
        } else {
          return false;
        }
      },
      x.rows(), y.rows());
}

bool row_before(const Samples& samples, Index i, Index j) { return compared(samples, i, j) < 0; }

std::vector<Index> first_equal_rows(const Samples& samples) {
  const Index n = samples.size();
  std::vector<Index> first(n);
  std::unordered_multimap<std::size_t, Index> seen;
  seen.reserve(n);
  for (Index i = 0; i < n; ++i) {
    const std::size_t hash = hash_of(samples, i);
    const auto [begin, end] = seen.equal_range(hash);
    const auto found =
        std::find_if(begin, end, [&](const auto& entry) { return equal_rows(samples, entry.second, samples, i); });
    first[i] = found == end ? i : found->second;
    if (found == end) {
      seen.emplace(hash, i);
    }
  }
  return first;
}

}  // namespace mercer
