// What the two relevance vector machines share before they are solved: options, the kernel with its widths, the rows of
// positive weight, the candidates among them, and the basis.
#pragma once

#include <memory>
#include <vector>

#include "mercer/gram/kernel_gram.h"
#include "mercer/models/model.h"
#include "mercer/models/option_table.h"
#include "mercer/solvers/relevance/relevance_regression.h"

namespace mercer {

struct RelevanceCommonOptions {
  bool bias = true;
  Index candidates = 5000;  ///< rows that may become relevance vectors, drawn at random where there are more; 0: all
  Index max_vectors = 0;
  double tolerance = 1e-3;
  Index max_iterations = 10000;
  double memory_mb = 0;  ///< 0: half of the machine's memory

  RelevanceOptions solver_options() const;
  template <class Options>
  static std::vector<Option<Options>> table();
};

struct RelevanceSetup {
  Kernel kernel;               ///< with its widths resolved
  std::vector<Index> numbers;  ///< rows of the data that count
  Samples samples;             ///< those rows
  std::unique_ptr<KernelGram<double>> gram;
  std::unique_ptr<RelevanceBasis> basis;
};

/// `rows`: those of positive weight. Notes in the report what was left out.
RelevanceSetup relevance_setup(const Kernel& kernel, const RelevanceCommonOptions& options, const TrainingData& data,
                               std::vector<Index> rows, FitReport& report, const Run& run);

/// How many rows have a weight in one of the fits.
Index relevance_vectors(const RelevanceBasis& basis, const std::vector<RelevanceFit>& fits);

/// Status, iterations and the number of relevance vectors of the fits of all outputs.
void add_fits_to_report(const std::vector<RelevanceFit>& fits, Index vectors, FitReport& report);

template <class Options>
std::vector<Option<Options>> RelevanceCommonOptions::table() {
  return {
      {"bias", &Options::bias, "whether the constant is one of the functions to choose from"},
      {"candidates", &Options::candidates,
       "rows that may become relevance vectors, drawn at random where there are more (every row is fitted to); 0: all",
       Constraint::nonnegative},
      {"max_vectors", &Options::max_vectors,
       "functions in use at most, per output; 0: as many as the evidence asks for", Constraint::nonnegative},
      {"tolerance", &Options::tolerance,
       "of the logarithm of the evidence: what adds, changes or deletes a function must gain more",
       Constraint::positive},
      {"max_iterations", &Options::max_iterations, "functions added at most, those that go again included",
       Constraint::positive},
      {"memory_mb", &Options::memory_mb,
       "for the kernel values of all candidates, which are computed again for every function where they do not fit; 0: "
       "half of the machine's memory",
       Constraint::nonnegative},
  };
}

}  // namespace mercer
