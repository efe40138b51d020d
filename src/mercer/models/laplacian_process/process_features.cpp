#include "mercer/models/laplacian_process/process_features.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/machine_memory.h"
#include "mercer/base/random.h"
#include "mercer/gram/cross_gram.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/models/training_rows.h"

namespace mercer {

namespace {

constexpr std::uint64_t process_basis_stream = 0x6c6170;

Index most_basis_functions(Index rows, double memory_mb, Index copies) {
  const double per_column = static_cast<double>(1 + copies) * 8.0 * static_cast<double>(rows);
  return static_cast<Index>(allowed_memory(memory_mb) / per_column);
}

}  // namespace

ProcessFeatures process_features(const std::string& model, const Kernel& kernel, const TrainingData& data,
                                 std::span<const Index> rows, Index basis, double memory_mb, Index copies,
                                 FitReport& report, const Run& run) {
  const auto n = static_cast<Index>(rows.size());
  const Samples& samples = data.samples;
  const Samples counted = counted_samples(samples, rows);
  note_rows_left_out(samples.size() - n, report);
  const Index most = most_basis_functions(n, memory_mb, copies);
  const Index wanted = basis > 0 ? std::min(basis, n) : n;
  if (most < 1 || (basis > 0 && wanted > most)) {
    throw InvalidArgument(model + ": a matrix of " + std::to_string(n) + " rows and " + std::to_string(wanted) +
                          " kernel functions does not fit into the memory that is allowed; set basis to " +
                          std::to_string(std::max<Index>(1, most)) + " or less, or raise memory_mb");
  }
  const Index count = std::min(wanted, most);
  ProcessFeatures result{.kernel = resolve_widths(kernel, counted, rows, data, run),
                         .samples = counted,
                         .basis = counted,
                         .basis_rows = std::vector<Index>(static_cast<std::size_t>(n)),
                         .matrix = Matrix<double>(n, count)};
  std::iota(result.basis_rows.begin(), result.basis_rows.end(), Index{0});
  if (count == n) {
    const PreparedKernel prepared(result.kernel, counted, Precision::double_precision, run);
    evaluate_gram<double>(prepared, Triangle::both, result.matrix.view(), run);
    return result;
  }
  if (basis == 0) {
    report.notes.push_back("the memory allows kernel functions of " + std::to_string(count) +
                           " rows, drawn at random, not of all " + std::to_string(n));
  }
  RandomStream random(run.seed(), process_basis_stream);
  std::vector<Index> drawn = sample_without_replacement(random, n, count);
  std::sort(drawn.begin(), drawn.end());
  result.basis = counted.select(drawn);
  result.basis_rows = drawn;
  const auto prepared =
      std::make_shared<const PreparedKernel>(result.kernel, result.basis, Precision::double_precision, run);
  CrossGram<double>(prepared, counted, run).evaluate(result.matrix.view(), run);
  return result;
}

ProcessFunction process_function(const ProcessFeatures& features, Matrix<double> coefficients, Matrix<double> offsets,
                                 const Run& run) {
  std::vector<Index> columns;
  for (Index j = 0; j < coefficients.rows(); ++j) {
    if (std::ranges::any_of(coefficients.view().row(j), [](double a) { return a != 0; })) {
      columns.push_back(j);
    }
  }
  const Expansion all(features.kernel, features.basis, std::move(coefficients), ParametricPart::constant,
                      std::move(offsets), Precision::double_precision, run);
  if (columns.empty()) {
    columns.push_back(0);
    return {Expansion(features.kernel, features.basis.select(columns), Matrix<double>::filled(1, all.outputs(), 0.0),
                      ParametricPart::constant, Matrix<double>::copy_of(all.parametric_coefficients()),
                      Precision::double_precision, run),
            std::move(columns)};
  }
  Expansion pruned = all.pruned(run);
  // Kernels that depend on the set of their centres keep all of them.
  if (pruned.centers().size() != static_cast<Index>(columns.size())) {
    columns.resize(pruned.centers().size());
    std::iota(columns.begin(), columns.end(), Index{0});
  }
  return {std::move(pruned), std::move(columns)};
}

}  // namespace mercer
