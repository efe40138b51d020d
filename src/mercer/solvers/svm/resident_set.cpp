#include "mercer/solvers/svm/resident_set.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "mercer/base/parallel.h"
#include "mercer/gram/tile_walk.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

namespace {

// 0, 1, 2, …
bool is_from_zero(const std::vector<Index>& numbers) {
  Index next = 0;
  return std::all_of(numbers.begin(), numbers.end(), [&](Index number) { return number == next++; });
}

}  // namespace

// Where the set outgrows its room, everybody is a newcomer; room grows by half at least, so that this is rare.
template <class T>
void ResidentSet<T>::make_room(std::span<const Index> variables, const BoxQpState& state) {
  std::array<Index, 2> needed{};
  for (const Index t : variables) {
    ++needed[state.group(t)];
  }
  if (needed[0] <= smo_.capacity(0) && needed[1] <= smo_.capacity(1)) {
    return;
  }
  const auto grown = [](Index need, Index room) { return need <= room ? room : std::max(need, room + room / 2); };
  const Index first = grown(needed[0], smo_.capacity(0));
  const Index second = grown(needed[1], smo_.capacity(1));
  for (const Index t : variables_) {
    place_of_[t] = -1;
  }
  variables_.clear();
  smo_.reset(first, second);
}

template <class T>
void ResidentSet<T>::assign(std::span<const Index> variables, const BoxQpState& state, ActiveGram<T>& gram,
                            const Run& run) {
  place_of_.resize(state.variables(), -1);
  make_room(variables, state);
  for (const Index t : variables_) {
    if (!std::binary_search(variables.begin(), variables.end(), t)) {
      smo_.release(place(t));
      place_of_[t] = -1;
    }
  }
  std::vector<Index> newcomers;
  for (const Index t : variables) {
    if (place(t) < 0) {
      newcomers.push_back(t);
      place_of_[t] = smo_.occupy(state.group(t));
    }
  }
  variables_.assign(variables.begin(), variables.end());
  fetch(newcomers, state, gram, run);
  load_variables(state);
}

template <class T>
void ResidentSet<T>::load_variables(const BoxQpState& state) {
  for (const Index t : variables_) {
    smo_.set_variable(place(t),
                      {state.coefficient(t), state.lower(t), state.upper(t), state.gradient(t), state.ridge(t)});
  }
}

template <class T>
void ResidentSet<T>::assign_all(const BoxQpState& state, const ActiveGram<T>& gram) {
  const Index n = state.rows();
  const bool first_time = static_cast<Index>(variables_.size()) != state.variables();
  if (first_time) {
    variables_.resize(state.variables());
    std::iota(variables_.begin(), variables_.end(), Index{0});
    std::array<Index, 2> sizes{};
    for (const Index t : variables_) {
      ++sizes[state.group(t)];
    }
    smo_.reset(sizes[0], sizes[1], LocalSmo<T>::Kernel::written_by_caller);
    place_of_.resize(variables_.size());
    for (const Index t : variables_) {
      place_of_[t] = smo_.occupy(state.group(t));
    }
    const MatrixView<T> kernel = smo_.kernel();
    if (state.variables() == n && state.groups() == 1) {
      gram.evaluate(kernel.block(0, 0, n, n));  // places follow the rows
    } else {
      Matrix<T> values(n, n);
      gram.evaluate(values.view());
      for (const Index t : variables_) {
        const T* const from = values.view().row_data(state.row_of(t));
        T* const to = kernel.row_data(place(t));
        for (const Index u : variables_) {
          to[place(u)] = from[state.row_of(u)];
        }
      }
    }
  }
  load_variables(state);
}

template <class T>
void ResidentSet<T>::recompute(const BoxQpState& state, std::span<double> values, const Run& run) {
  std::vector<const T*> rows;
  std::vector<double> coefficients;
  const MatrixView<T> kernel = smo_.kernel();
  for (const Index t : variables_) {
    if (state.coefficient(t) != 0) {
      rows.push_back(kernel.row_data(place(t)));
      coefficients.push_back(state.coefficient(t));
    }
  }
  std::vector<double> sums(kernel.columns(), 0.0);
  add_weighted_rows<T>(rows, coefficients, sums, run);
  for (Index row = 0; row < state.rows(); ++row) {
    values[row] = sums[place(row)];
  }
}

template <class T>
void ResidentSet<T>::fetch(const std::vector<Index>& newcomers, const BoxQpState& state, ActiveGram<T>& gram,
                           const Run& run) {
  if (newcomers.empty()) {
    return;
  }
  const auto rows_of = [&](const std::vector<Index>& list) {
    std::vector<Index> rows(list.size());
    std::transform(list.begin(), list.end(), rows.begin(), [&](Index t) { return state.row_of(t); });
    return rows;
  };
  const auto places_of = [&](const std::vector<Index>& list) {
    std::vector<Index> places(list.size());
    std::transform(list.begin(), list.end(), places.begin(), [&](Index t) { return place(t); });
    return places;
  };
  const std::vector<Index> new_places = places_of(newcomers);
  const std::vector<Index> places = places_of(variables_);
  // Everybody anew, side by side: written where they belong, without a second matrix of their size.
  if (newcomers.size() == variables_.size() && !gram.keeps_rows() && is_from_zero(places)) {
    const auto count = static_cast<Index>(places.size());
    const std::vector<Index> rows = rows_of(newcomers);
    gram.block(rows, rows, smo_.kernel().block(0, 0, count, count));
    return;
  }
  std::vector<std::size_t> stayers;  // which of the variables
  for (std::size_t b = 0; b < places.size(); ++b) {
    if (!std::binary_search(newcomers.begin(), newcomers.end(), variables_[b])) {
      stayers.push_back(b);
    }
  }
  const MatrixView<T> kernel = smo_.kernel();
  gram.for_blocks(rows_of(newcomers), rows_of(variables_), [&](Index first, ConstMatrixView<T> values) {
    parallel_for(run, stayers.empty() ? 0 : values.rows(), [&](Index a) {
      const T* const from = values.row_data(a);
      T* const to = kernel.row_data(new_places[first + a]);
      for (const std::size_t b : stayers) {
        to[places[b]] = from[b];
      }
    });
    // The mirror half and what newcomers have with each other, some rows at a time: a line of `values` is read once or
    // twice for all of them, and where rows lie a power of two apart, so many of their lines fit into one set of a cache.
    constexpr Index strip = 8;
    parallel_for(run, block_count(values.columns(), strip), [&](Index task) {
      const IndexRange columns = block_range(values.columns(), strip, task);
      for (Index a = 0; a < values.rows(); ++a) {
        const T* const from = values.row_data(a);
        const Index place = new_places[first + a];
        for (Index b = columns.begin; b < columns.end; ++b) {
          kernel.row_data(places[b])[place] = from[b];
        }
      }
    });
  });
}

template class ResidentSet<float>;
template class ResidentSet<double>;

}  // namespace mercer
