#include "mercer/select/hypothesis/two_sample.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/random.h"
#include "mercer/data/join_samples.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/gram/stored_copy.h"
#include "mercer/kernels/widths.h"
#include "mercer/linalg/matrix.h"
#include "mercer/select/hypothesis/gram_size.h"

namespace mercer {

namespace {

void require_two_rows(Index first, Index total) {
  if (first < 2 || total - first < 2) {
    throw DataError("samples of " + std::to_string(first) + " and " + std::to_string(total - first) +
                    " rows: a two-sample test needs two rows or more of each");
  }
}

// With K₀ the matrix without its diagonal, s = zᵀK₀z and r = zᵀK₀1: within the first sample s, across r − s, within the
// rest 1ᵀK₀1 − 2r + s. The last column of `members` is 1, so that one pass over K gives K₀1 as well.
std::vector<double> split_statistics(const Gram<double>& gram, ConstMatrixView<double> members, const Run& run) {
  const Index n = gram.size();
  const Index splits = members.columns() - 1;
  Matrix<double> product(n, members.columns());
  gram.multiply(members, product.view(), run);
  std::vector<double> diagonal(n);
  gram.diagonal(diagonal);
  const auto count = static_cast<std::size_t>(splits);
  std::vector<double> within(count, 0.0);
  std::vector<double> row_sums(count, 0.0);
  std::vector<double> sizes(count, 0.0);
  double total = 0;
  for (Index i = 0; i < n; ++i) {
    const double own = diagonal[i];
    const double row_sum = product(i, splits) - own;
    total += row_sum;
    for (std::size_t c = 0; c < count; ++c) {
      const double z = members(i, static_cast<Index>(c));
      within[c] += z * (product(i, static_cast<Index>(c)) - z * own);
      row_sums[c] += z * row_sum;
      sizes[c] += z;
    }
  }
  std::vector<double> statistics;
  for (std::size_t c = 0; c < count; ++c) {
    const double a = sizes[c];
    const double b = static_cast<double>(n) - a;
    require_two_rows(static_cast<Index>(a), n);
    const double across = row_sums[c] - within[c];
    const double rest = total - 2 * row_sums[c] + within[c];
    statistics.push_back(within[c] / (a * (a - 1)) + rest / (b * (b - 1)) - 2 * across / (a * b));
  }
  return statistics;
}

// Column c: split number begin + c. Number 0 is the data, every other one has a random stream of its own. The last column
// is 1.
Matrix<double> split_columns(Index n, Index first, IndexRange numbers, const Run& run) {
  Matrix<double> members = Matrix<double>::filled(n, numbers.size() + 1, 0.0);
  for (Index i = 0; i < n; ++i) {
    members(i, numbers.size()) = 1;
  }
  for (Index c = 0; c < numbers.size(); ++c) {
    const Index number = numbers.begin + c;
    if (number == 0) {
      for (Index i = 0; i < first; ++i) {
        members(i, c) = 1;
      }
      continue;
    }
    RandomStream random(run.seed(), 0x2a3d00000u + static_cast<std::uint64_t>(number));
    for (const Index i : sample_without_replacement(random, n, first)) {
      members(i, c) = 1;
    }
  }
  return members;
}

TestResult quadratic_test(const Gram<double>& given, Index first, const TwoSampleOptions& options, const Run& run) {
  const Index n = given.size();
  const Index splits = options.permutations + 1;
  const double bytes = options.memory_mb * 1024 * 1024;
  const Index part = std::clamp<Index>(static_cast<Index>(bytes / (16 * static_cast<double>(n))), 16, splits);
  // Stored, K serves every part of the splits.
  std::unique_ptr<const DenseGram<double>> stored;
  if (part < splits && given.work_per_entry() > 0 && 8 * static_cast<double>(n) * static_cast<double>(n) <= bytes) {
    stored = std::make_unique<const DenseGram<double>>(stored_copy(given, run));
  }
  const Gram<double>& gram = stored ? *stored : given;
  std::vector<double> statistics;
  for (Index begin = 0; begin < splits; begin += part) {
    const IndexRange numbers{begin, std::min(begin + part, splits)};
    const Matrix<double> members = split_columns(n, first, numbers, run);
    const std::vector<double> some = split_statistics(gram, members.view(), run.quiet());
    statistics.insert(statistics.end(), some.begin(), some.end());
    run.progress("permutations", static_cast<double>(numbers.end), static_cast<double>(splits));
  }
  return judge_by_permutations(statistics.front(), std::span(statistics).subspan(1), options.level,
                               largest_diagonal(gram));
}

// One value of a block: rows 0 … b−1 of `k` are from the first sample, b … 2b−1 from the second.
double block_value(ConstMatrixView<double> k, Index b, MmdStatistic statistic) {
  if (statistic == MmdStatistic::linear) {
    return k(0, 1) + k(2, 3) - k(0, 3) - k(1, 2);
  }
  double within = 0;
  double across = 0;
  for (Index i = 0; i < b; ++i) {
    for (Index j = 0; j < b; ++j) {
      within += i == j ? 0.0 : k(i, j) + k(b + i, b + j);
      across += k(i, b + j);
    }
  }
  const auto size = static_cast<double>(b);
  return within / (size * (size - 1)) - 2 * across / (size * size);
}

// Values of blocks of b rows of each sample. Several small blocks are evaluated together: tiles have a fixed cost.
std::vector<double> block_values(const Gram<double>& gram, std::span<const Index> x, std::span<const Index> y, Index b,
                                 MmdStatistic statistic, const Run& run) {
  const Index blocks = static_cast<Index>(std::min(x.size(), y.size())) / b;
  const Index together = std::max<Index>(1, 32 / b);
  std::vector<double> values(blocks);
  parallel_for(run, block_count(blocks, together), "blocks", [&](Index group) {
    const IndexRange range = block_range(blocks, together, group);
    std::vector<Index> list;
    for (Index block = range.begin; block < range.end; ++block) {
      list.insert(list.end(), x.begin() + block * b, x.begin() + (block + 1) * b);
      list.insert(list.end(), y.begin() + block * b, y.begin() + (block + 1) * b);
    }
    const auto size = static_cast<Index>(list.size());
    Matrix<double> k(size, size);
    gram.gather(list, list, k.view(), run.quiet());
    for (Index block = range.begin; block < range.end; ++block) {
      const Index at = 2 * b * (block - range.begin);
      values[block] = block_value(std::as_const(k).view().block(at, at, 2 * b, 2 * b), b, statistic);
    }
  });
  return values;
}

TestResult blocks_test(const Gram<double>& gram, Index first, const TwoSampleOptions& options, const Run& run) {
  // Files are often sorted: blocks take rows in random order.
  RandomStream random_x(run.seed(), 0x2a3e00001u);
  RandomStream random_y(run.seed(), 0x2a3e00002u);
  const std::vector<Index> x = random_permutation(random_x, first);
  std::vector<Index> y = random_permutation(random_y, gram.size() - first);
  for (Index& row : y) {
    row += first;
  }
  const auto smaller = static_cast<Index>(std::min(x.size(), y.size()));
  const Index b = options.statistic == MmdStatistic::linear ? 2
                  : options.block_size > 0
                      ? options.block_size
                      : std::max<Index>(2, static_cast<Index>(std::sqrt(static_cast<double>(smaller))));
  if (smaller / b < 2) {
    throw InvalidArgument("blocks of " + std::to_string(b) + " rows, where the smaller sample has " +
                          std::to_string(smaller) +
                          ": two blocks or more are needed. Take smaller blocks or the quadratic statistic");
  }
  TestResult result = judge_by_normal(block_values(gram, x, y, b, options.statistic, run), options.level);
  result.left_out = gram.size() - 2 * b * (smaller / b);
  if (result.null.count < 20) {
    result.notes.push_back("only " + std::to_string(result.null.count) +
                           " blocks: the normal distribution is a rough guide to so few");
  }
  return result;
}

}  // namespace

void TwoSampleOptions::validate() const {
  require_test_options(level, permutations);
  if (block_size != 0 && block_size < 2) {
    reject_argument("block_size", static_cast<double>(block_size), "2 or more (0: the square root of the sample)");
  }
  if (!(memory_mb > 0)) {
    reject_argument("memory_mb", memory_mb, "positive");
  }
}

std::vector<double> mmd_squared(const Gram<double>& gram, ConstMatrixView<double> members, const Run& run) {
  if (members.rows() != gram.size()) {
    throw InvalidArgument("splits of " + std::to_string(members.rows()) + " rows for a Gram matrix of " +
                          std::to_string(gram.size()));
  }
  Matrix<double> with_ones = Matrix<double>::filled(members.rows(), members.columns() + 1, 1.0);
  for (Index i = 0; i < members.rows(); ++i) {
    std::copy_n(members.row_data(i), members.columns(), with_ones.view().row_data(i));
  }
  return split_statistics(gram, std::as_const(with_ones).view(), run);
}

double mmd_squared(const Gram<double>& gram, Index first, const Run& run) {
  require_two_rows(first, gram.size());
  return split_statistics(gram, split_columns(gram.size(), first, {0, 1}, run).view(), run).front();
}

TestResult two_sample_test(const Gram<double>& gram, Index first, const TwoSampleOptions& options, const Run& run) {
  options.validate();
  require_two_rows(first, gram.size());
  return options.statistic == MmdStatistic::quadratic ? quadratic_test(gram, first, options, run)
                                                      : blocks_test(gram, first, options, run);
}

TwoSampleResult two_sample_test(const Kernel& kernel, const Samples& x, const Samples& y,
                                const TwoSampleOptions& options, const Run& run) {
  options.validate();
  require_two_rows(x.size(), x.size() + y.size());
  const Samples both = join_samples(x, y);
  Kernel resolved = resolve_widths(kernel, both, run);
  const KernelGram<double> gram(
      std::make_shared<const PreparedKernel>(resolved, both, Precision::double_precision, run));
  TestResult test = two_sample_test(gram, x.size(), options, run);
  return {std::move(test), std::move(resolved)};
}

}  // namespace mercer
