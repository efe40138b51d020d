#include "mercer/models/gp/gp_method.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/machine_memory.h"
#include "mercer/base/text.h"
#include "mercer/models/gp/iterative/iterative.h"

namespace mercer {

namespace {

// Beyond it `automatic` prefers inducing points to conjugate gradients.
constexpr Index most_cg_rows = 200000;
// Fewer inducing points than this are no model of anything.
constexpr Index least_inducing = 20;
constexpr Index greedy_candidates = 59;

// A factor of n × rank by pivoted Cholesky: itself, a copy, and the blocks of columns that it is made from; six blocks of
// right-hand sides.
double low_rank_bytes(Index rows, Index rank, Index outputs) {
  const Index block = std::clamp<Index>(rank / 10, 8, 256);
  return 8.0 * static_cast<double>(rows) * static_cast<double>(2 * rank + 3 * block + 6 * outputs);
}

Index preconditioner_rank(const GpOptions& options, Index rows) {
  return std::min(rows, options.rank > 0 ? options.rank : automatic_rank(rows));
}

// The largest rank or number of inducing points that the budget holds; 0 where not even one.
Index rank_that_fits(Index rows, Index outputs, double budget) {
  Index low = 0;
  Index high = rows;
  while (low < high) {
    const Index middle = low + (high - low + 1) / 2;
    if (low_rank_bytes(rows, middle, outputs) <= budget) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

std::string megabytes(double bytes) { return std::to_string(std::llround(bytes / bytes_per_megabyte)) + " MB"; }

// What would fit, in words.
std::string way_out(const GpOptions& options, Index rows, Index outputs, double budget) {
  if (options.likelihood != GpLikelihood::gaussian) {
    return "fewer rows, a larger memory_mb, or likelihood = gaussian, which has methods for many rows (vfe, cg)";
  }
  const Index fits = rank_that_fits(rows, outputs, budget);
  std::vector<std::string> ways;
  if (options.loo || options.mean != ParametricPart::none) {
    ways.emplace_back("loo = no and mean = zero, which allow other methods");
  }
  if (fits >= least_inducing) {
    const Index points = std::min<Index>(fits, 500);
    ways.push_back("method = vfe with inducing = " + std::to_string(points) + " (" +
                   megabytes(low_rank_bytes(rows, points, outputs)) + ")");
    if (rows <= most_cg_rows && options.method != GpMethod::variational) {
      const Index rank = std::min(fits, automatic_rank(rows));
      ways.push_back("method = cg with rank = " + std::to_string(rank) + " (" +
                     megabytes(low_rank_bytes(rows, rank, outputs)) + ")");
    }
  }
  if (fits < least_inducing) {
    ways.push_back("memory_mb = " +
                   std::to_string(std::llround(std::ceil(low_rank_bytes(rows, 100, outputs) / bytes_per_megabyte))) +
                   ", which holds method = vfe with inducing = 100");
  }
  ways.emplace_back("falkon, which has no variances");
  ways.emplace_back("fewer rows");
  return join(ways, ", ") + ", or a larger memory_mb";
}

void require_memory(const GpOptions& options, Index rows, Index outputs, double budget) {
  const double needed = gp_memory_bytes(options, rows, outputs);
  if (needed > budget) {
    const std::string way = options.likelihood == GpLikelihood::gaussian
                                ? "method = " + std::string(word_of(options.method))
                                : std::string(word_of(options.inference));
    throw InvalidArgument("gp: " + way + " needs about " + megabytes(needed) + " for " + std::to_string(rows) +
                          " rows, the fit may use " + megabytes(budget) + "; try " +
                          way_out(options, rows, outputs, budget));
  }
  // The evidence and its gradient take two matrices of the rows that the search uses.
  const Index searched = options.search_rows == 0 ? rows : std::min(rows, options.search_rows);
  const double search = 16.0 * static_cast<double>(searched) * static_cast<double>(searched);
  if (options.optimize && search > budget) {
    throw InvalidArgument("gp: learning from " + std::to_string(searched) + " rows needs about " + megabytes(search) +
                          ", the fit may use " + megabytes(budget) +
                          "; try search_rows = " + std::to_string(std::llround(std::floor(std::sqrt(budget / 16)))) +
                          ", optimize = no, or a larger memory_mb");
  }
}

}  // namespace

double gp_memory_bytes(const GpOptions& options, Index rows, Index outputs) {
  const double square = static_cast<double>(rows) * static_cast<double>(rows);
  if (options.likelihood != GpLikelihood::gaussian) {
    return options.inference == GpInference::posterior_mode ? 24 * square : 16 * square;
  }
  const Index size = std::min(options.inducing, rows);
  switch (options.method) {
    case GpMethod::exact:
      return 8 * square;
    case GpMethod::float_factor:
      // A factor that is not good enough is joined by one of low rank.
      return 4 * square + low_rank_bytes(rows, preconditioner_rank(options, rows), outputs);
    case GpMethod::conjugate_gradients:
      return low_rank_bytes(rows, preconditioner_rank(options, rows), outputs);
    case GpMethod::greedy:
      return 16.0 * static_cast<double>(rows) * static_cast<double>(size + greedy_candidates);
    case GpMethod::automatic:
    case GpMethod::variational:
    case GpMethod::fitc:
    case GpMethod::subset_of_regressors:
      break;
  }
  return low_rank_bytes(rows, size, outputs);
}

GpOptions chosen_gp_method(GpOptions options, Index rows, Index outputs, std::vector<std::string>& notes) {
  const double budget = allowed_memory(options.memory_mb, gp_memory_share);
  if (options.likelihood != GpLikelihood::gaussian) {
    if (options.inference == GpInference::automatic) {
      options.inference =
          options.likelihood == GpLikelihood::laplacian ? GpInference::expectation_propagation : GpInference::laplace;
    }
    require_memory(options, rows, outputs, budget);
    return options;
  }
  options.inference = GpInference::exact;
  if (options.method == GpMethod::automatic) {
    const auto fits = [&](GpMethod method) {
      options.method = method;
      return gp_memory_bytes(options, rows, outputs) <= budget;
    };
    const bool only_exact = options.loo || options.mean != ParametricPart::none;
    if (!fits(GpMethod::exact) && !only_exact && !fits(GpMethod::float_factor) &&
        !(fits(GpMethod::conjugate_gradients) && rows <= most_cg_rows)) {
      options.method = GpMethod::variational;
      if (const Index most = rank_that_fits(rows, outputs, budget); most >= least_inducing) {
        options.inducing = std::min(options.inducing, most);
      }
      notes.push_back("inducing points (method = vfe, inducing = " + std::to_string(options.inducing) +
                      "): other methods need more memory, or hours, for " + std::to_string(rows) + " rows");
    }
  }
  require_memory(options, rows, outputs, budget);
  return options;
}

}  // namespace mercer
