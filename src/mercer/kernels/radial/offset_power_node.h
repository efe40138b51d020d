// Powers of an offset squared distance, ±(r²/ℓ² + c²)^p: inverse quadratic (p = −1), inverse multiquadric (−½) and
// multiquadric (½, with the minus sign). Where neither the offset nor the length scale is given the data decide the
// length scale; the offset is 1 unless given.
#pragma once

#include <string>

#include "mercer/kernels/parameter.h"
#include "mercer/kernels/radial/radial_node.h"

namespace mercer {

/// p < 0: positive, and infinitely divisible; p = ½: conditionally positive of order 1, never positive.
enum class OffsetPower { minus_one, minus_half, half };

/// The factory of such a kernel; `offset` is the name of the parameter c.
std::shared_ptr<const KernelNode> make_offset_power(const KernelEntry& entry, ParameterList parameters,
                                                    std::vector<Kernel> children, const char* offset,
                                                    OffsetPower power);

/// The length scale of such a kernel, as a parameter.
ParameterSpec offset_lengthscale_spec(const std::string& offset);

}  // namespace mercer
