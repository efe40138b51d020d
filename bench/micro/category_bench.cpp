// Gram matrices of kernels on categories, one triangle in single precision, on 2 threads.
//
//   hamming() on columns of categories, against linear() on their indicator columns: one product that gives the same
//   counts of matches, on shapes from few columns of many levels to many columns of two
//   rbf * hamming() on a table like adult (6 numbers, 8 categories of 102 levels), against rbf alone
#include <cstdlib>
#include <string>
#include <vector>

#include "mercer/base/random.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/kernels/spec.h"
#include "timing.h"

namespace mercer::bench {
namespace {

struct CategoryColumns {
  std::vector<Table::Column> columns;
  Matrix<float> indicators;  // of numbers, which are normal, and of the levels
};

CategoryColumns random_columns(Index rows, Index numbers, const std::vector<Index>& levels) {
  RandomStream random(1);
  Index width = numbers;
  for (const Index count : levels) {
    width += count;
  }
  CategoryColumns result{.columns = {}, .indicators = Matrix<float>::filled(rows, width, 0.0F)};
  for (Index i = 0; i < rows; ++i) {
    for (Index c = 0; c < numbers; ++c) {
      result.indicators(i, c) = static_cast<float>(random.normal());
    }
  }
  Index first = numbers;
  for (const Index count : levels) {
    std::vector<std::int32_t> codes(rows);
    std::vector<std::string> names;
    for (Index level = 0; level < count; ++level) {
      names.push_back(std::to_string(level));
    }
    for (Index i = 0; i < rows; ++i) {
      codes[i] = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(count)));
      result.indicators(i, first + codes[i]) = 1;
    }
    first += count;
    result.columns.push_back({std::to_string(first), make_categories(std::move(codes), std::move(names))});
  }
  return result;
}

double gram_seconds(const std::string& spec, const Samples& samples, MatrixView<float> out, const mercer::Run& run) {
  const PreparedKernel kernel(parse_kernel(spec), samples, Precision::single_precision, run);
  return best_seconds(5, 1, [&] { evaluate_gram<float>(kernel, Triangle::lower, out, run); });
}

void against_indicators(const std::string& name, const std::vector<Index>& levels, MatrixView<float> out,
                        const mercer::Run& run) {
  CategoryColumns given = random_columns(out.rows(), 0, levels);
  const Samples indicators = make_dense(std::move(given.indicators));
  const Samples table = make_table(Table(Samples(DenseRows<double>{}), {}, std::move(given.columns)));
  const double ours = gram_seconds("hamming()", table, out, run);
  print_result("hamming Gram float n=" + std::to_string(out.rows()) + ", " + name +
                   ", one triangle, against the product of indicator columns, 2 threads",
               ours, gram_seconds("linear()", indicators, out, run));
}

void against_rbf(const std::vector<Index>& levels, MatrixView<float> out, const mercer::Run& run) {
  constexpr Index numbers = 6;
  CategoryColumns given = random_columns(out.rows(), numbers, levels);
  const Index indicators = given.indicators.columns() - numbers;
  const Samples table =
      make_table(Table(make_dense(std::move(given.indicators)), {}, std::move(given.columns), indicators));
  const double ours = gram_seconds("rbf(gamma=0.1)*hamming()", table, out, run);
  print_result("rbf*hamming Gram float n=" + std::to_string(out.rows()) +
                   ", 6 numbers and 8 categories of 102 levels, one triangle, against rbf alone, 2 threads",
               ours, gram_seconds("rbf(gamma=0.1)", table, out, run));
}

}  // namespace
}  // namespace mercer::bench

int main(int argc, char** argv) {
  using namespace mercer::bench;
  using mercer::Index;
  const long n = argc > 1 ? std::atol(argv[1]) : 10000;
  const mercer::Run run(mercer::RunOptions{.threads = 2});
  auto k = mercer::Matrix<float>::filled(n, n, 0.0F);
  const std::vector<Index> adult = {9, 16, 7, 15, 6, 5, 2, 42};
  against_indicators("8 columns of 102 levels", adult, k.view(), run);
  against_indicators("64 columns of 20 levels", std::vector<Index>(64, 20), k.view(), run);
  against_indicators("300 columns of 2 levels", std::vector<Index>(300, 2), k.view(), run);
  against_indicators("2 columns of 1000 levels", std::vector<Index>(2, 1000), k.view(), run);
  against_rbf(adult, k.view(), run);
}
