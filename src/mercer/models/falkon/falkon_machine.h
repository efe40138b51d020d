// What falkon and falkonc share: their options, how landmarks are chosen, and what fits the memory.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mercer/models/model.h"
#include "mercer/models/phase_timer.h"
#include "mercer/solvers/falkon/falkon.h"

namespace mercer {

/// pivoted: by randomly pivoted Cholesky.
enum class FalkonLandmarks { uniform, pivoted };
constexpr auto words_of(FalkonLandmarks) {
  return std::array{Word{FalkonLandmarks::uniform, "uniform"}, Word{FalkonLandmarks::pivoted, "pivoted"}};
}

struct FalkonMachineOptions {
  Index landmarks = 0;  ///< 0: √n ln n, at least 500 and at most 10000
  FalkonLandmarks choice = FalkonLandmarks::uniform;
  std::optional<double> lambda = {};
  std::optional<double> mean_lambda = {};  ///< times the sum of the weights
  bool intercept = true;
  double tolerance = 1e-6;
  Index max_iterations = 200;
  FalkonPrecision precision = FalkonPrecision::mixed;
  double memory_mb = 0;  ///< 0: half of the machine's memory

  /// What the table does not say: throws InvalidArgument naming the model where lambda is given twice.
  void require_one_lambda(const char* model) const;
  FalkonOffset offset() const { return intercept ? FalkonOffset::constant : FalkonOffset::none; }
  /// For all rows, which weigh `total`.
  double penalty(double total) const;
};

/// The rows of the option table that both models have; `Options` derives from FalkonMachineOptions.
template <class Options>
std::vector<Option<Options>> falkon_machine_table();

/// Landmarks with everything that solvers need of them.
struct FalkonMachine {
  Samples landmarks;
  std::unique_ptr<FalkonRows> rows;
  std::unique_ptr<FalkonFactor> factor;
  FalkonSample sample;
  FalkonOptions options;
  int threads = 1;  ///< that the solver may use: each takes memory
};

/// What of the samples is a solver's: kernel (resolved), samples, total weight, outputs, and how many n × outputs blocks
/// of doubles the solver keeps.
struct FalkonTask {
  const char* model = "falkon";
  Kernel kernel;
  Samples samples;
  double total_weight = 0;
  Index outputs = 1;
  Index row_blocks = 1;
};

/// Chooses landmarks, evaluates and factors K_MM, stores K_nM where memory allows. Notes and measures say what was done.
/// InvalidArgument where the kernel is not positive definite, or where memory does not suffice for the landmarks asked
/// for.
FalkonMachine make_falkon_machine(const FalkonTask& task, const FalkonMachineOptions& options, PhaseTimer& timer,
                                  FitReport& report, const Run& run);

// ---- implementation of the table

template <class Options>
std::vector<Option<Options>> falkon_machine_table() {
  return {
      {"landmarks", &Options::landmarks,
       "how many training rows the function is made of; 0: sqrt(n) ln n, at least 500 and at most 10000",
       Constraint::nonnegative},
      {"choice", &Options::choice,
       "landmarks drawn uniformly, or by randomly pivoted Cholesky of a sample of rows (fewer do as well)"},
      {"lambda", &Options::lambda, "penalty, on the scale of K + lambda I; 1 if neither it nor mean_lambda is given",
       Constraint::positive, SearchRange{"2^-20..2^10", RangeUnit::absolute, "mean_lambda"}},
      {"mean_lambda", &Options::mean_lambda, "the same on the scale of the mean loss: n lambda (n the sum of weights)",
       Constraint::positive},
      {"intercept", &Options::intercept, "add a constant that is not penalised"},
      {"tolerance", &Options::tolerance,
       "when the iteration ends: the relative residual, or the share of the objective left", Limits::between(0, 1)},
      {"max_iterations", &Options::max_iterations, "of conjugate gradients", Constraint::positive},
      {"precision", &Options::precision,
       "of products with the kernel matrix: mixed (float, residuals in double, double where float does not do), float, "
       "double"},
      {"memory_mb", &Options::memory_mb,
       "what a fit may take beyond the data; kernel values are stored where they fit; 0: half of the machine's memory",
       Constraint::nonnegative},
  };
}

}  // namespace mercer
