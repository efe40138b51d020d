#include "mercer/models/relevance/relevance_setup.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>

#include "mercer/base/machine_memory.h"
#include "mercer/base/random.h"
#include "mercer/models/training_rows.h"

namespace mercer {

namespace {

constexpr std::uint64_t candidate_stream = 0x72766d63;

}  // namespace

RelevanceOptions RelevanceCommonOptions::solver_options() const {
  RelevanceOptions options;
  options.tolerance = tolerance;
  options.max_iterations = max_iterations;
  options.max_functions = max_vectors;
  return options;
}

RelevanceSetup relevance_setup(const Kernel& kernel, const RelevanceCommonOptions& options, const TrainingData& data,
                               std::vector<Index> rows, FitReport& report, const Run& run) {
  const auto n = static_cast<Index>(rows.size());
  note_rows_left_out(data.samples.size() - n, report);
  Samples samples = counted_samples(data.samples, rows);
  Kernel resolved = resolve_widths(kernel, samples, rows, data, run);
  std::vector<Index> candidates(n);
  std::iota(candidates.begin(), candidates.end(), Index{0});
  if (options.candidates > 0 && options.candidates < n) {
    RandomStream random(run.seed(), candidate_stream);
    candidates = sample_without_replacement(random, n, options.candidates);
    std::ranges::sort(candidates);
    report.notes.push_back(std::to_string(options.candidates) + " of " + std::to_string(n) +
                           " rows, drawn at random, may become relevance vectors");
  }
  auto gram = std::make_unique<KernelGram<double>>(
      std::make_shared<const PreparedKernel>(resolved, samples, Precision::double_precision, run));
  auto basis = std::make_unique<RelevanceBasis>(*gram, std::move(candidates),
                                                options.bias ? ConstantColumn::last : ConstantColumn::none,
                                                allowed_memory(options.memory_mb), run);
  if (!basis->is_stored()) {
    report.notes.emplace_back("the kernel values do not fit in memory_mb: they are computed again for every function");
  }
  return {std::move(resolved), std::move(rows), std::move(samples), std::move(gram), std::move(basis)};
}

Index relevance_vectors(const RelevanceBasis& basis, const std::vector<RelevanceFit>& fits) {
  std::vector<Index> columns;
  for (const RelevanceFit& fit : fits) {
    std::ranges::copy_if(fit.columns, std::back_inserter(columns),
                         [&](Index column) { return !basis.is_constant(column); });
  }
  std::ranges::sort(columns);
  return static_cast<Index>(std::unique(columns.begin(), columns.end()) - columns.begin());
}

void add_fits_to_report(const std::vector<RelevanceFit>& fits, Index vectors, FitReport& report) {
  for (const RelevanceFit& fit : fits) {
    report.iterations += fit.iterations;
    if (fit.status != SolveStatus::converged) {
      report.status = fit.status;
    }
  }
  if (report.status != SolveStatus::converged) {
    report.notes.emplace_back("max_iterations ran out before the evidence stopped growing");
  }
  report.measures.push_back({"relevance vectors", static_cast<double>(vectors)});
}

}  // namespace mercer
