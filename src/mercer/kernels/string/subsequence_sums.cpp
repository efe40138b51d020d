#include "mercer/kernels/string/subsequence_sums.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "mercer/base/simd.h"
#include "mercer/kernels/string/symbol_rows.h"

namespace mercer {

namespace {

// One anti-diagonal of one length i, entry j for one pair of positions (a, b), a ascending and b descending with j:
//   c   = [s_a = t_b] K'_{i-1}(a-1, b-1)            what ends here
//   K'' = λ K''(a, b-1) + c,   K'_i(a, b) = λ K'_i(a-1, b) + K''
MERCER_CLONES void advance_gap_sums(const std::uint64_t* s, const std::uint64_t* t, const double* shorter,
                                    const double* above, double decay, double* along, double* out, Index count) {
#pragma GCC ivdep
  for (Index j = 0; j < count; ++j) {
    const double before = shorter[j];
    const double run = decay * along[j] + (s[j] == t[j] ? before : 0.0);
    along[j] = run;
    out[j] = decay * above[j] + run;
  }
}

// The derivatives of the same by λ; called first, while `along` still holds K''(a, b-1).
MERCER_CLONES void advance_gap_slopes(const std::uint64_t* s, const std::uint64_t* t, const double* shorter_slope,
                                      const double* above, const double* above_slope, double decay, const double* along,
                                      double* along_slope, double* out_slope, Index count) {
#pragma GCC ivdep
  for (Index j = 0; j < count; ++j) {
    const double before = shorter_slope[j];
    const double run = decay * along_slope[j] + along[j] + (s[j] == t[j] ? before : 0.0);
    along_slope[j] = run;
    out_slope[j] = decay * above_slope[j] + above[j] + run;
  }
}

// sum += c
MERCER_CLONES void add_endings(const std::uint64_t* s, const std::uint64_t* t, const double* shorter, double* sum,
                               Index count) {
#pragma GCC ivdep
  for (Index j = 0; j < count; ++j) {
    const double before = shorter[j];
    sum[j] += s[j] == t[j] ? before : 0.0;
  }
}

// K' of the last two anti-diagonals, K'' and the sums of what ended, by length and position in s, in one block.
class GapLevels {
 public:
  GapLevels(std::size_t lengths, std::size_t positions, double nothing)
      : positions_(positions), values_((lengths + 1) * arrays * positions, 0.0) {
    std::fill_n(values_.begin(), 2 * positions, nothing);  // K'_0 is 1 and its slope 0
  }
  /// K' of the diagonals d, d − 2, …
  double* k(std::size_t i, Index d) { return array(i, static_cast<std::size_t>(d % 2)); }
  double* along(std::size_t i) { return array(i, 2); }
  double* sum(std::size_t i) { return array(i, 3); }
  double total(std::size_t i) {
    const double* const ended = sum(i);
    double total = 0;
    for (std::size_t a = 0; a < positions_; ++a) {
      total += ended[a];
    }
    return total;
  }

 private:
  static constexpr std::size_t arrays = 4;
  double* array(std::size_t i, std::size_t number) { return values_.data() + (arrays * i + number) * positions_; }

  std::size_t positions_;
  std::vector<double> values_;
};

// How many lengths have a common subsequence at all.
std::size_t possible_lengths(SymbolSpan s, SymbolSpan t, std::span<double> sums) {
  std::fill(sums.begin(), sums.end(), 0.0);
  return std::min({sums.size(), s.size(), t.size()});
}

}  // namespace

void dense_gap_weighted_sums(SymbolSpan s, SymbolSpan t, double decay, std::span<double> sums, std::span<double> slopes,
                             const Run& run) {
  std::fill(slopes.begin(), slopes.end(), 0.0);
  const std::size_t lengths = possible_lengths(s, t, sums);
  if (lengths == 0) {
    return;
  }
  if (comes_before(t, s)) {
    std::swap(s, t);
  }
  const auto rows = static_cast<Index>(s.size());
  const auto columns = static_cast<Index>(t.size());
  const std::vector<std::uint64_t> reversed(t.rbegin(), t.rend());
  GapLevels values(lengths, s.size() + 1, 1.0);
  GapLevels derivatives(slopes.empty() ? 0 : lengths, s.size() + 1, 0.0);
  // Entry a of a diagonal is the pair (a, b), a + b = d, both counted from 1; entry 0 and entries never written stand for
  // an empty beginning of s or t. Long lengths come first: they need K'_{i-1} of the diagonal that is overwritten next.
  Index since_poll = 0;
  for (Index d = 2; d <= rows + columns; ++d) {
    const Index first = std::max<Index>(1, d - columns);
    const Index count = std::min(rows, d - 1) - first + 1;
    const std::uint64_t* const left = s.data() + (first - 1);
    const std::uint64_t* const right = reversed.data() + (columns - (d - first));
    for (std::size_t i = lengths; i >= 1; --i) {
      const double* const shorter = values.k(i - 1, d) + first - 1;
      add_endings(left, right, shorter, values.sum(i) + first, count);
      if (!slopes.empty()) {
        const double* const shorter_slope = derivatives.k(i - 1, d) + first - 1;
        add_endings(left, right, shorter_slope, derivatives.sum(i) + first, count);
        if (i < lengths) {
          advance_gap_slopes(left, right, shorter_slope, values.k(i, d - 1) + first - 1,
                             derivatives.k(i, d - 1) + first - 1, decay, values.along(i) + first,
                             derivatives.along(i) + first, derivatives.k(i, d) + first, count);
        }
      }
      if (i < lengths) {
        advance_gap_sums(left, right, shorter, values.k(i, d - 1) + first - 1, decay, values.along(i) + first,
                         values.k(i, d) + first, count);
      }
    }
    since_poll += count * static_cast<Index>(lengths);
    if (since_poll > 1'000'000) {
      run.check_stop();
      since_poll = 0;
    }
  }
  for (std::size_t i = 1; i <= lengths; ++i) {
    sums[i - 1] = values.total(i);
    if (!slopes.empty()) {
      slopes[i - 1] = derivatives.total(i);
    }
  }
}

namespace {

// Σ λ^(distance in both strings) of what ended at the positions of t so far. A node of the tree holds the sum over its
// positions as seen from the last of them and from the row of s where it was last changed.
class DiscountedTree {
 public:
  DiscountedTree(std::size_t leaves, const std::vector<double>& powers)
      : leaves_(leaves), nodes_(2 * leaves), powers_(&powers) {}

  void add(std::size_t row, std::size_t position, double value) {
    std::size_t width = 1;
    for (std::size_t node = leaves_ + position; node >= 1; node /= 2) {
      TreeNode& here = nodes_[node];
      here.value = here.value * power(row - here.row) + value * power(last_position(node, width) - position);
      here.row = row;
      width *= 2;
    }
  }

  /// As seen from (row, position): the sum over all positions up to this one.
  double sum(std::size_t row, std::size_t position) const {
    double total = 0;
    std::size_t width = 1;
    for (std::size_t end = leaves_ + position + 1; end > leaves_ / width; end /= 2) {
      if (end % 2 == 1) {
        --end;
        const TreeNode& here = nodes_[end];
        total += here.value * power(row - here.row) * power(position - last_position(end, width));
      }
      width *= 2;
    }
    return total;
  }

 private:
  struct TreeNode {
    double value = 0;
    std::size_t row = 0;
  };
  double power(std::size_t exponent) const { return (*powers_)[exponent]; }
  std::size_t last_position(std::size_t node, std::size_t width) const { return (node + 1) * width - 1 - leaves_; }

  std::size_t leaves_;
  std::vector<TreeNode> nodes_;
  const std::vector<double>* powers_;
};

// The positions of t in the order of their symbols.
struct SortedPositions {
  explicit SortedPositions(SymbolSpan t) : symbols(t.begin(), t.end()), positions(t.size()) {
    for (std::size_t at = 0; at < t.size(); ++at) {
      positions[at] = at;
    }
    std::stable_sort(positions.begin(), positions.end(), [&](std::size_t a, std::size_t b) { return t[a] < t[b]; });
    std::sort(symbols.begin(), symbols.end());
  }
  std::span<const std::size_t> of(std::uint64_t symbol) const {
    const auto [begin, end] = std::equal_range(symbols.begin(), symbols.end(), symbol);
    return std::span<const std::size_t>(positions).subspan(static_cast<std::size_t>(begin - symbols.begin()),
                                                           static_cast<std::size_t>(end - begin));
  }

  std::vector<std::uint64_t> symbols;
  std::vector<std::size_t> positions;
};

// A sum and its derivative by λ.
struct SumWithSlope {
  long double value = 0;
  long double slope = 0;

  SumWithSlope& operator+=(const SumWithSlope& other) {
    value += other.value;
    slope += other.slope;
    return *this;
  }
};

// λ times a sum.
long double discounted(long double sum, long double decay) { return decay * sum; }
SumWithSlope discounted(const SumWithSlope& sum, long double decay) {
  return {decay * sum.value, decay * sum.slope + sum.value};
}

// The recursion of advance_gap_sums row by row: K' of the row above, by length and position in s.
template <class Sum>
std::vector<Sum> sums_row_by_row(SymbolSpan s, SymbolSpan t, long double decay, std::size_t lengths, const Run& run) {
  const std::size_t size = s.size() + 1;  // entry 0 is the empty beginning
  std::vector<Sum> sums(lengths);
  std::vector<Sum> above((lengths + 1) * size);
  std::fill_n(above.begin(), size, Sum{1});
  for (const std::uint64_t symbol : t) {
    run.check_stop();
    // Long lengths first: they need K'_{i-1} of the row above.
    for (std::size_t i = lengths; i >= 1; --i) {
      const Sum* const shorter = above.data() + (i - 1) * size;
      Sum* const here = above.data() + i * size;
      Sum along{};
      for (std::size_t a = 1; a < size; ++a) {
        along = discounted(along, decay);
        if (s[a - 1] == symbol) {
          along += shorter[a - 1];
          sums[i - 1] += shorter[a - 1];
        }
        here[a] = discounted(here[a], decay);
        here[a] += along;
      }
    }
  }
  return sums;
}

std::vector<double> powers_up_to(double base, std::size_t largest) {
  std::vector<double> powers(largest + 1);
  for (std::size_t exponent = 0; exponent <= largest; ++exponent) {
    powers[exponent] = std::pow(base, static_cast<double>(exponent));
  }
  return powers;
}

}  // namespace

void sparse_gap_weighted_sums(SymbolSpan s, SymbolSpan t, double decay, std::span<double> sums, const Run& run) {
  const std::size_t lengths = possible_lengths(s, t, sums);
  if (lengths == 0) {
    return;
  }
  if (comes_before(t, s)) {
    std::swap(s, t);
  }
  const SortedPositions sorted(t);
  const std::size_t leaves = std::bit_ceil(t.size());
  const std::vector<double> powers = powers_up_to(decay, std::max(leaves, s.size()));
  std::vector<DiscountedTree> trees(lengths - 1, DiscountedTree(leaves, powers));
  for (std::size_t a = 0; a < s.size(); ++a) {
    const std::span<const std::size_t> equal = sorted.of(s[a]);
    // Long ones first: what ends in this row may not be continued in it.
    for (std::size_t i = lengths; i >= 1; --i) {
      for (const std::size_t b : equal) {
        const double ending = i == 1 ? 1.0 : a == 0 || b == 0 ? 0.0 : trees[i - 2].sum(a - 1, b - 1);
        sums[i - 1] += ending;
        if (i < lengths && ending > 0) {
          trees[i - 1].add(a, b, ending);
        }
      }
    }
    run.check_stop();
  }
}

Index equal_pairs(SymbolSpan s, SymbolSpan t) {
  constexpr std::uint64_t bytes = 256;
  const auto small = [](std::uint64_t symbol) { return symbol < bytes; };
  Index pairs = 0;
  if (std::all_of(s.begin(), s.end(), small) && std::all_of(t.begin(), t.end(), small)) {
    std::array<Index, bytes> counts{};
    for (const std::uint64_t symbol : t) {
      ++counts[symbol];
    }
    for (const std::uint64_t symbol : s) {
      pairs += counts[symbol];
    }
    return pairs;
  }
  const SortedPositions sorted(t);
  for (const std::uint64_t symbol : s) {
    pairs += static_cast<Index>(sorted.of(symbol).size());
  }
  return pairs;
}

void wide_gap_weighted_sums(SymbolSpan s, SymbolSpan t, double decay, std::span<long double> sums,
                            std::span<long double> slopes, const Run& run) {
  std::fill(sums.begin(), sums.end(), 0.0L);
  std::fill(slopes.begin(), slopes.end(), 0.0L);
  const std::size_t lengths = std::min({sums.size(), s.size(), t.size()});
  if (comes_before(t, s)) {
    std::swap(s, t);
  }
  if (slopes.empty()) {
    std::ranges::copy(sums_row_by_row<long double>(s, t, decay, lengths, run), sums.begin());
    return;
  }
  const std::vector<SumWithSlope> both = sums_row_by_row<SumWithSlope>(s, t, decay, lengths, run);
  for (std::size_t i = 0; i < lengths; ++i) {
    sums[i] = both[i].value;
    slopes[i] = both[i].slope;
  }
}

void gap_weighted_sums(SymbolSpan s, SymbolSpan t, double decay, std::span<double> sums, std::span<double> slopes,
                       const Run& run) {
  // A step in a tree costs about as much as so many cells of the vectorised table.
  constexpr Index cells_per_step = 5;
  const Index cells = static_cast<Index>(s.size()) * static_cast<Index>(t.size());
  constexpr Index few_cells = 4096;
  if (slopes.empty() && cells > few_cells) {
    const auto steps = static_cast<Index>(std::bit_width(std::max(s.size(), t.size())));
    if (equal_pairs(s, t) * steps * cells_per_step < cells) {
      sparse_gap_weighted_sums(s, t, decay, sums, run);
      return;
    }
  }
  dense_gap_weighted_sums(s, t, decay, sums, slopes, run);
}

}  // namespace mercer
