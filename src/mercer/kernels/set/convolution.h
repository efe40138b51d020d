// R-convolution kernels (Haussler 1999; 13.12): a relation R says in which ways x is made of D parts, and
//
//   k(x, y) = Σ_{s ∈ R(x)} Σ_{t ∈ R(y)} Π_d k_d(s_d, t_d)
//
// over all decompositions s of x and t of y. User code enumerates the decompositions; the kernels k_d on the parts are any
// kernels, on parts of any kind (vectors, strings, sets, graphs). Positive where all k_d are. A sample without a
// decomposition has value 0 with all.
//
//   // Gaussians of the words at the same place, say
//   Kernel k = convolution("places", [](const Samples& x) { return …; }, {parse_kernel("delta()"), parse_kernel("rbf(gamma=1)")});
//
// Like every kernel of user code it cannot be read back from a model file.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mercer/data/samples.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

/// Sample i is made in the ways offsets[i] … offsets[i+1]-1 (offsets[0] = 0); row t of parts[d] is part d of way t.
struct Decompositions {
  std::vector<Index> offsets = {0};
  std::vector<Samples> parts;
};
using Decomposer = std::function<Decompositions(const Samples& samples)>;

/// The convolution of D kernels. `decompose` is called for every sample set that the kernel meets (training, test), from
/// one thread; what it gives must depend on the single samples only. Cost: the product of the numbers of decompositions
/// per pair. Throws InvalidArgument for an empty name, function or list of kernels; evaluation throws it where the
/// decompositions do not have D parts, or offsets that do not fit.
Kernel convolution(const std::string& name, Decomposer decompose, const std::vector<Kernel>& part_kernels);

}  // namespace mercer
