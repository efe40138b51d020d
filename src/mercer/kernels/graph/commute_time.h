// The commute-time kernel on the nodes of one graph (Fouss, Pirotte, Renders, Saerens 2007): the pseudo-inverse of the
// Laplacian,
//
//   K = L⁺,   k(x,x) + k(y,y) − 2 k(x,y) = (mean time of a random walk from x to y and back) / (sum of degrees)
//
// for the plain Laplacian, also the resistance between x and y if edges are resistors of 1/weight. Rows of K sum to 0
// in each connected part. See node_kernel.h for the samples.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& commute_time_entry();

}  // namespace mercer
