// Neural network kernel (2/π) asin(T/√(AB)) with T = 2(β + w xᵀx'), A = 1 + 2(β + w‖x‖²), B likewise: an infinitely
// wide network of error-function units whose biases have variance β and whose weights have variance w. Williams,
// "Computing with infinite networks", 1996.
#pragma once

#include "mercer/kernels/dot/dot_node.h"

namespace mercer {

const KernelEntry& neural_entry();

}  // namespace mercer
