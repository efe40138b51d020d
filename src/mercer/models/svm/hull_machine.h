// A machine of nusvc by its geometry: the reduced convex hulls of two classes with the bound μ (solvers/svm/reduced_hulls.h),
// whose nearest points are at its normal. It is ν-SVC with ν = 2/(μΣw), of every machine's own rows.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mercer/models/svm/svc.h"
#include "mercer/models/svm/svc_training.h"

namespace mercer {

/// ν of the machine. InvalidArgument, with the least μ, where it is not feasible and is to be refused; a fold of rows
/// (`start` is not empty) takes what it gets.
double nu_of_hulls(const MachineTask& task, double mu, InfeasibleNu infeasible, std::span<const double> start);

/// That machine. NumericalError where the reduced hulls meet.
SvmDual solve_hulls_apart(const SvmEngine& engine, const MachineTask& task, double nu, double mu, const Run& run);

/// The distance of the hulls of one machine; nothing without a μ.
void add_hull_distance(const std::vector<MachineFacts>& facts, std::span<const double> weights,
                       std::optional<double> mu, FitReport& report);

}  // namespace mercer
