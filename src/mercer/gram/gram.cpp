#include "mercer/gram/gram.h"

#include <string>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/gram/tile_walk.h"
#include "mercer/gram/wrappers.h"

namespace mercer {

namespace {

void require_in_range(std::span<const Index> list, Index size) {
  for (const Index i : list) {
    if (i < 0 || i >= size) {
      throw InvalidArgument("row " + std::to_string(i) + " of a Gram matrix of size " + std::to_string(size) +
                            ": rows are counted from 0");
    }
  }
}

template <class T>
void require_shape(MatrixView<T> out, std::size_t rows, std::size_t columns) {
  if (out.rows() != static_cast<Index>(rows) || out.columns() != static_cast<Index>(columns)) {
    throw InvalidArgument("a block of " + std::to_string(out.rows()) + " by " + std::to_string(out.columns()) +
                          " where the result is " + std::to_string(rows) + " by " + std::to_string(columns));
  }
}

}  // namespace

template <class T>
void Gram<T>::tile(IndexRange rows, IndexRange columns, MatrixView<T> out) const {
  Workspace workspace;
  fill(rows, columns, out, workspace);
}

template <class T>
void Gram<T>::row(Index i, std::span<T> out) const {
  tile({i, i + 1}, {0, size()}, MatrixView<T>(out.data(), 1, size()));
}

template <class T>
void Gram<T>::multiply(ConstMatrixView<T> v, MatrixView<T> out, const Run& run) const {
  const auto filler = [this](IndexRange rows, IndexRange columns, MatrixView<T> k, Workspace& workspace) {
    fill(rows, columns, k, workspace);
  };
  multiply_symmetric<T>(size(), filler, v, out, run);
}

template <class T>
void Gram<T>::rows(std::span<const Index> list, MatrixView<T> out, const Run& run) const {
  require_in_range(list, size());
  require_shape(out, list.size(), static_cast<std::size_t>(size()));
  fill_rows(list, out, run);
}

template <class T>
void Gram<T>::gather(std::span<const Index> rows, std::span<const Index> columns, MatrixView<T> out,
                     const Run& run) const {
  require_in_range(rows, size());
  require_in_range(columns, size());
  require_shape(out, rows.size(), columns.size());
  fill_gathered(rows, columns, out, run);
}

template <class T>
void Gram<T>::accumulate(std::span<const Index> list, std::span<const double> coefficients, std::span<double> out,
                         const Run& run) const {
  require_in_range(list, size());
  if (coefficients.size() != list.size() || static_cast<Index>(out.size()) != size()) {
    throw InvalidArgument("a sum of " + std::to_string(list.size()) + " rows of a Gram matrix of size " +
                          std::to_string(size()) + " is given " + std::to_string(coefficients.size()) +
                          " coefficients and a result of " + std::to_string(out.size()));
  }
  if (!list.empty()) {
    add_rows(list, coefficients, out, run);
  }
}

template <class T>
std::shared_ptr<const Gram<T>> Gram<T>::subset(std::span<const Index> list, const Run& run) const {
  require_in_range(list, size());
  return make_subset(list, run);
}

template <class T>
void Gram<T>::add_rows(std::span<const Index> list, std::span<const double> coefficients, std::span<double> out,
                       const Run& run) const {
  const auto filler = [&](IndexRange part, IndexRange columns, MatrixView<T> k, Workspace& workspace) {
    for (Index a = 0; a < part.size(); ++a) {
      const Index i = list[part.begin + a];
      fill({i, i + 1}, columns, k.row_block({a, a + 1}), workspace);
    }
  };
  add_weighted_rows<T>(static_cast<Index>(list.size()), size(), filler, coefficients, out, run);
}

template <class T>
std::shared_ptr<const Gram<T>> Gram<T>::make_subset(std::span<const Index> list, const Run& /*run*/) const {
  return std::make_shared<SubsetGram<T>>(borrowed(*this), std::vector<Index>(list.begin(), list.end()));
}

template <class T>
void Gram<T>::fill_rows(std::span<const Index> list, MatrixView<T> out, const Run& run) const {
  std::vector<Workspace> workspaces(run.threads());
  parallel_for_workers(run, static_cast<Index>(list.size()), [&](Index a, int worker) {
    const Index i = list[a];
    fill({i, i + 1}, {0, size()}, out.row_block({a, a + 1}), workspaces[worker]);
  });
}

template <class T>
void Gram<T>::fill_gathered(std::span<const Index> rows, std::span<const Index> columns, MatrixView<T> out,
                            const Run& run) const {
  std::vector<Workspace> workspaces(run.threads());
  parallel_for_workers(run, static_cast<Index>(rows.size()), [&](Index a, int worker) {
    const Index i = rows[a];
    // Runs of neighbouring columns are filled together.
    for (std::size_t begin = 0; begin < columns.size();) {
      std::size_t end = begin + 1;
      while (end < columns.size() && columns[end] == columns[end - 1] + 1) {
        ++end;
      }
      fill({i, i + 1}, {columns[begin], columns[end - 1] + 1},
           out.block(a, static_cast<Index>(begin), 1, static_cast<Index>(end - begin)), workspaces[worker]);
      begin = end;
    }
  });
}

template class Gram<float>;
template class Gram<double>;

}  // namespace mercer
