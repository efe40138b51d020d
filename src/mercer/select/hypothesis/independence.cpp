#include "mercer/select/hypothesis/independence.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/random.h"
#include "mercer/base/text.h"
#include "mercer/features/pivot_coordinates.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/gram/stored_copy.h"
#include "mercer/gram/wrappers.h"
#include "mercer/kernels/widths.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/matrix.h"
#include "mercer/select/hypothesis/gram_size.h"

namespace mercer {

namespace {

void require_two_views(Index k, Index l) {
  if (k != l) {
    throw InvalidArgument("views of " + std::to_string(k) + " and " + std::to_string(l) +
                          " samples: both must be of the same samples");
  }
  if (k < 2) {
    throw DataError("an independence test needs two rows or more; there are " + std::to_string(k));
  }
}

// Number 0 is the order of the data.
std::vector<Index> row_order(Index n, Index number, const Run& run) {
  if (number > 0) {
    RandomStream random(run.seed(), 0x451c00000u + static_cast<std::uint64_t>(number));
    return random_permutation(random, n);
  }
  std::vector<Index> order(n);
  std::iota(order.begin(), order.end(), Index{0});
  return order;
}

double square_of(Index n) { return static_cast<double>(n) * static_cast<double>(n); }

// Σ_j k_j l_order(j). Four sums at a time: one would wait for every addition.
double gathered_dot(const double* k, const double* l, const std::int32_t* order, Index count) {
  double sums[4] = {0, 0, 0, 0};
  Index j = 0;
  for (; j + 4 <= count; j += 4) {
    for (Index s = 0; s < 4; ++s) {
      sums[s] += k[j + s] * l[order[j + s]];
    }
  }
  for (; j < count; ++j) {
    sums[0] += k[j] * l[order[j]];
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// Σ_ij K̃_ij L_π(i)π(j) over the lower triangle, twice, and the diagonal.
double permuted_sum(ConstMatrixView<double> k, ConstMatrixView<double> l, std::span<const Index> rows) {
  const std::vector<std::int32_t> order(rows.begin(), rows.end());  // half of the memory in the inner loop
  double off_diagonal = 0;
  double diagonal = 0;
  for (Index i = 0; i < k.rows(); ++i) {
    const Index to = rows[i];
    off_diagonal += gathered_dot(k.row_data(i), l.row_data(to), order.data(), i);
    diagonal += k(i, i) * l(to, to);
  }
  return 2 * off_diagonal + diagonal;
}

std::vector<double> stored_statistics(const Gram<double>& k, const Gram<double>& l, Index orders, const Run& run) {
  const Index n = k.size();
  const CenteredGram<double> centered(borrowed(k), run.quiet());
  const Matrix<double> stored_k = stored_copy<double>(centered, run.quiet());
  const Matrix<double> stored_l = stored_copy<double>(l, run.quiet());
  std::vector<double> statistics(orders);
  parallel_for(run, orders, "permutations", [&](Index number) {
    statistics[number] = permuted_sum(stored_k.view(), stored_l.view(), row_order(n, number, run)) / square_of(n);
  });
  return statistics;
}

// K̃ = FFᵀ and L = GGᵀ: the sum is ‖Fᵀ PG‖².
std::vector<double> factored_statistics(const Gram<double>& k, const Gram<double>& l,
                                        const IndependenceOptions& options, std::vector<std::string>& notes,
                                        const Run& run) {
  const Index n = k.size();
  const CoordinateOptions coordinates{.max_rank = options.rank, .tolerance = 1e-6};
  const PivotCoordinates first = pivot_coordinates(k, coordinates, run.quiet());
  const PivotCoordinates second = pivot_coordinates(l, coordinates, run.quiet());
  notes.push_back("kernel matrices of rank " + std::to_string(first.rank()) + " and " + std::to_string(second.rank()) +
                  " in place of stored ones; they leave out shares of " + shortest(first.left_out) + " and " +
                  shortest(second.left_out) + " of the traces");
  // Rows √(1/n)(f − mean) carry 1/n each, so that the square of the product is over n² already.
  const CenteredRows rows = centered_rows(first.values.view(), {});
  const CenteredRows others = centered_rows(second.values.view(), {});
  const Index orders = options.permutations + 1;
  std::vector<double> statistics(orders);
  parallel_for(run, orders, "permutations", [&](Index number) {
    const std::vector<Index> order = row_order(n, number, run);
    Matrix<double> permuted(n, second.rank());
    for (Index i = 0; i < n; ++i) {
      std::copy_n(others.rows.view().row_data(order[i]), second.rank(), permuted.view().row_data(i));
    }
    Matrix<double> product(first.rank(), second.rank());
    gemm(1.0, rows.rows.view(), Transpose::yes, std::as_const(permuted).view(), Transpose::no, 0.0, product.view());
    const std::span<const double> all(product.data(), static_cast<std::size_t>(first.rank() * second.rank()));
    statistics[number] = dot(all, all);
  });
  return statistics;
}

}  // namespace

void IndependenceOptions::validate() const {
  require_test_options(level, permutations);
  if (!(memory_mb > 0)) {
    reject_argument("memory_mb", memory_mb, "positive");
  }
  if (rank < 1) {
    reject_argument("rank", static_cast<double>(rank), "1 or more");
  }
}

double hsic(const Gram<double>& k, const Gram<double>& l, const Run& run) {
  require_two_views(k.size(), l.size());
  const CenteredGram<double> centered(borrowed(k), run);
  const Index n = k.size();
  constexpr Index strip = 64;
  const double sum = sum_in_order(run, block_count(n, strip), [&](Index b) {
    const IndexRange rows = block_range(n, strip, b);
    Matrix<double> some_k(rows.size(), n);
    Matrix<double> some_l(rows.size(), n);
    Workspace workspace;
    centered.fill(rows, {0, n}, some_k.view(), workspace);
    l.fill(rows, {0, n}, some_l.view(), workspace);
    const auto size = static_cast<std::size_t>(rows.size() * n);
    return dot(std::span<const double>(some_k.data(), size), std::span<const double>(some_l.data(), size));
  });
  return sum / square_of(n);
}

TestResult independence_test(const Gram<double>& k, const Gram<double>& l, const IndependenceOptions& options,
                             const Run& run) {
  options.validate();
  require_two_views(k.size(), l.size());
  std::vector<std::string> notes;
  const bool fits = 16 * square_of(k.size()) <= options.memory_mb * 1024 * 1024 &&
                    k.size() <= std::numeric_limits<std::int32_t>::max();
  const std::vector<double> statistics =
      fits ? stored_statistics(k, l, options.permutations + 1, run) : factored_statistics(k, l, options, notes, run);
  TestResult result = judge_by_permutations(statistics.front(), std::span(statistics).subspan(1), options.level,
                                            largest_diagonal(k) * largest_diagonal(l));
  result.notes = std::move(notes);
  return result;
}

IndependenceResult independence_test(const Kernel& first_kernel, const Samples& x, const Kernel& second_kernel,
                                     const Samples& y, const IndependenceOptions& options, const Run& run) {
  options.validate();
  require_two_views(x.size(), y.size());
  Kernel first = resolve_widths(first_kernel, x, run);
  Kernel second = resolve_widths(second_kernel, y, run);
  const KernelGram<double> k(std::make_shared<const PreparedKernel>(first, x, Precision::double_precision, run));
  const KernelGram<double> l(std::make_shared<const PreparedKernel>(second, y, Precision::double_precision, run));
  TestResult test = independence_test(k, l, options, run);
  return {std::move(test), std::move(first), std::move(second)};
}

}  // namespace mercer
