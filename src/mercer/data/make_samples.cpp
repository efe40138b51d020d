// Samples that own their memory: each maker checks the shape and hands the arrays to a shared owner.
#include <algorithm>
#include <limits>
#include <unordered_map>

#include "mercer/base/error.h"
#include "mercer/data/samples.h"

namespace mercer {

namespace {

template <class T>
Samples make_dense_of(std::vector<T> values, Index rows, Index columns) {
  const auto found = static_cast<Index>(values.size());
  const bool agrees = rows >= 0 && columns >= 0 && (columns == 0 ? found == 0 : found % columns == 0) &&
                      (columns == 0 || found / columns == rows);
  if (!agrees) {
    throw InvalidArgument("a dense matrix of " + std::to_string(rows) + " rows and " + std::to_string(columns) +
                          " columns cannot be made of " + std::to_string(found) + " values");
  }
  const auto owner = std::make_shared<std::vector<T>>(std::move(values));
  return Samples(DenseRows<T>{owner->data(), rows, columns, columns, 1}, owner);
}

template <class T>
Samples make_dense_of(Matrix<T> values) {
  const auto owner = std::make_shared<Matrix<T>>(std::move(values));
  return Samples(DenseRows<T>{owner->data(), owner->rows(), owner->columns(), owner->columns(), 1}, owner);
}

template <class T>
struct SparseMemory {
  std::vector<T> values;
  std::vector<std::int32_t> column_numbers;
  std::vector<std::int64_t> offsets;
};

template <class T>
Samples make_sparse_of(std::vector<T> values, std::vector<std::int32_t> column_numbers,
                       std::vector<std::int64_t> offsets, Index columns) {
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != static_cast<std::int64_t>(values.size()) ||
      values.size() != column_numbers.size()) {
    throw InvalidArgument(
        "sparse rows: offsets must begin with 0 and end with the number of values, and every value needs a column "
        "number; found " +
        std::to_string(values.size()) + " values, " + std::to_string(column_numbers.size()) + " column numbers and " +
        std::to_string(offsets.size()) + " offsets");
  }
  const auto memory = std::make_shared<SparseMemory<T>>(
      SparseMemory<T>{std::move(values), std::move(column_numbers), std::move(offsets)});
  const SparseRows<T> rows{memory->values.data(), memory->column_numbers.data(), memory->offsets.data(),
                           static_cast<Index>(memory->offsets.size()) - 1, columns};
  require_valid(rows);
  return Samples(rows, memory);
}

}  // namespace

template <class T>
void require_valid(const SparseRows<T>& rows) {
  // Offsets first: only then is it safe to follow them.
  for (Index i = 0; i < rows.rows; ++i) {
    if (rows.offsets[i] < 0 || rows.offsets[i + 1] < rows.offsets[i] || rows.offsets[i + 1] > rows.offsets[rows.rows]) {
      throw InvalidArgument("sparse row " + std::to_string(i) + ": offsets must not decrease");
    }
  }
  for (Index i = 0; i < rows.rows; ++i) {
    Index previous = -1;
    for (Index p = rows.offsets[i]; p < rows.offsets[i + 1]; ++p) {
      const Index column = rows.column_numbers[p];
      if (column <= previous || column >= rows.columns) {
        throw InvalidArgument("sparse row " + std::to_string(i) + ": column number " + std::to_string(column) +
                              (column >= rows.columns || column < 0
                                   ? " is not in 0 … " + std::to_string(rows.columns - 1)
                                   : " follows " + std::to_string(previous) +
                                         "; numbers must be ascending, without repetition. Sort the rows first"));
      }
      previous = column;
    }
  }
}
template void require_valid(const SparseRows<float>&);
template void require_valid(const SparseRows<double>&);

Samples make_dense(std::vector<double> values, Index rows, Index columns) {
  return make_dense_of(std::move(values), rows, columns);
}
Samples make_dense(std::vector<float> values, Index rows, Index columns) {
  return make_dense_of(std::move(values), rows, columns);
}
Samples make_dense(Matrix<double> values) { return make_dense_of(std::move(values)); }
Samples make_dense(Matrix<float> values) { return make_dense_of(std::move(values)); }

Samples make_sparse(std::vector<double> values, std::vector<std::int32_t> column_numbers,
                    std::vector<std::int64_t> offsets, Index columns) {
  return make_sparse_of(std::move(values), std::move(column_numbers), std::move(offsets), columns);
}
Samples make_sparse(std::vector<float> values, std::vector<std::int32_t> column_numbers,
                    std::vector<std::int64_t> offsets, Index columns) {
  return make_sparse_of(std::move(values), std::move(column_numbers), std::move(offsets), columns);
}
Samples make_sparse(std::vector<double> values, std::span<const std::int64_t> column_numbers,
                    std::vector<std::int64_t> offsets, Index columns) {
  std::vector<std::int32_t> narrow;
  narrow.reserve(column_numbers.size());
  for (const std::int64_t column : column_numbers) {
    if (column < 0 || column >= std::numeric_limits<std::int32_t>::max()) {
      throw InvalidArgument("column number " + std::to_string(column) + ": must be in 0 … 2147483646");
    }
    narrow.push_back(static_cast<std::int32_t>(column));
  }
  return make_sparse_of(std::move(values), std::move(narrow), std::move(offsets), columns);
}

Samples make_strings(std::span<const std::string> strings) {
  struct Memory {
    std::string bytes;
    std::vector<std::int64_t> offsets{0};
  };
  const auto memory = std::make_shared<Memory>();
  for (const std::string& string : strings) {
    memory->bytes += string;
    memory->offsets.push_back(static_cast<std::int64_t>(memory->bytes.size()));
  }
  return Samples(StringRows{memory->bytes.data(), memory->offsets.data(), static_cast<Index>(strings.size())}, memory);
}

Samples make_sets(std::span<const std::vector<std::int32_t>> sets) {
  struct Memory {
    std::vector<std::int32_t> members;
    std::vector<std::int64_t> offsets{0};
  };
  const auto memory = std::make_shared<Memory>();
  for (std::vector<std::int32_t> set : sets) {
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
    if (!set.empty() && set.front() < 0) {
      throw InvalidArgument("set " + std::to_string(memory->offsets.size() - 1) + " has the member " +
                            std::to_string(set.front()) + ": members must be 0 or greater");
    }
    if (!set.empty() && set.back() == std::numeric_limits<std::int32_t>::max()) {
      throw InvalidArgument("set " + std::to_string(memory->offsets.size() - 1) + " has the member " +
                            std::to_string(set.back()) + ": members must be at most 2147483646");
    }
    memory->members.insert(memory->members.end(), set.begin(), set.end());
    memory->offsets.push_back(static_cast<std::int64_t>(memory->members.size()));
  }
  return Samples(SetRows{memory->members.data(), memory->offsets.data(), static_cast<Index>(sets.size())}, memory);
}

Samples make_bags(std::span<const std::vector<std::vector<double>>> bags) {
  struct Memory {
    std::vector<double> points;
    std::vector<std::int64_t> offsets{0};
  };
  const auto memory = std::make_shared<Memory>();
  Index dimension = -1;
  Index points = 0;
  for (const auto& bag : bags) {
    for (const auto& point : bag) {
      const auto found = static_cast<Index>(point.size());
      dimension = dimension < 0 ? found : dimension;
      if (found != dimension) {
        throw InvalidArgument("bag " + std::to_string(memory->offsets.size() - 1) + " holds a vector of " +
                              std::to_string(found) + " components where the first one has " +
                              std::to_string(dimension));
      }
      memory->points.insert(memory->points.end(), point.begin(), point.end());
      ++points;
    }
    memory->offsets.push_back(points);
  }
  dimension = std::max<Index>(dimension, 0);
  return Samples(BagRows{{memory->points.data(), points, dimension, dimension, 1},
                         memory->offsets.data(),
                         static_cast<Index>(bags.size())},
                 memory);
}

Samples make_categories(std::vector<std::int32_t> codes, std::vector<std::string> levels) {
  struct Memory {
    std::vector<std::int32_t> codes;
    std::vector<std::string> levels;
  };
  for (const std::int32_t code : codes) {
    if (code < -1 || code >= static_cast<Index>(levels.size())) {
      throw InvalidArgument("category code " + std::to_string(code) + ": must be -1 or one of the " +
                            std::to_string(levels.size()) + " levels");
    }
  }
  const auto memory = std::make_shared<Memory>(Memory{std::move(codes), std::move(levels)});
  return Samples(CategoryRows{memory->codes.data(), memory->levels, static_cast<Index>(memory->codes.size())}, memory);
}

Samples make_categories(std::span<const std::string> values) {
  std::unordered_map<std::string, std::int32_t> numbers;
  std::vector<std::string> levels;
  std::vector<std::int32_t> codes;
  codes.reserve(values.size());
  for (const std::string& value : values) {
    const auto [place, fresh] = numbers.try_emplace(value, static_cast<std::int32_t>(levels.size()));
    if (fresh) {
      levels.push_back(value);
    }
    codes.push_back(place->second);
  }
  return make_categories(std::move(codes), std::move(levels));
}

}  // namespace mercer
