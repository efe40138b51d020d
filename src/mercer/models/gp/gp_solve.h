// The last step of a fit: the posterior at the learnt parameters, by the method that was chosen.
#pragma once

#include <string>
#include <vector>

#include "mercer/models/gp/gp.h"
#include "mercer/models/gp/gp_search.h"

namespace mercer {

struct GpSolution {
  GpModel::Parts parts;     ///< the mean and what its variances and leave-one-out values are of
  double log_evidence = 0;  ///< standardised
  SolveStatus status = SolveStatus::converged;
  std::vector<Note> notes;
};

GpSolution solve_gp(const GpSearchSpace& space, std::span<const double> values, const GpData& data, const Run& run);

}  // namespace mercer
