// Kernels whose formula needs the number of columns N (compact supports, polynomials on the sphere): their parameter
// `dimension` is a number, or `auto` until the samples say how many columns there are.
#pragma once

#include <memory>

#include "mercer/data/samples.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/parameter.h"

namespace mercer {

ParameterSpec dimension_spec(std::string meaning);

/// The dimension that was given; 0 while it is left to the data. Throws InvalidArgument for rules other than `auto`.
Index given_dimension(const KernelNode& node);

/// Whether `dimension` waits for the data.
bool needs_data_dimension(const KernelNode& node);

/// The node with `dimension` = the number of columns, at least `smallest`, where it was left to the data.
std::shared_ptr<const KernelNode> with_data_dimension(const KernelNode& node, const Samples& all, Index smallest = 1);

}  // namespace mercer
