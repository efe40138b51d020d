// Which way a Gaussian process goes: what `automatic` stands for, and whether the memory allows it. Nothing large is
// allocated before this is settled.
#pragma once

#include <string>
#include <vector>

#include "mercer/models/gp/gp.h"

namespace mercer {

/// Of the machine's memory, what the matrices may take where memory_mb is 0.
constexpr double gp_memory_share = 0.7;

/// What a fit with these options (no `automatic` in them) allocates at its peak beyond the data, roughly: matrices of
/// n × n, or n × rank and as much again while they are made.
double gp_memory_bytes(const GpOptions& options, Index rows, Index outputs);

/// inference and method as they are carried out. automatic: exact where its matrix fits into the memory, else float, else
/// cg up to 200 000 rows (a product with the matrix then takes minutes), else vfe with as many inducing points as fit, at
/// most `inducing`; what was chosen for want of memory or time is noted. InvalidArgument with what would fit, where it
/// does not.
GpOptions chosen_gp_method(GpOptions options, Index rows, Index outputs, std::vector<std::string>& notes);

}  // namespace mercer
