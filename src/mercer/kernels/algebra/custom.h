// Kernels of user code: a function of two points, or a feature map. They take part in the algebra of kernels like any
// other; only their text form is a name that the parser does not know, so models that use them cannot be read back.
//
//   Kernel k = from_function("overlap", [](auto x, auto y) { return …; }, Definiteness::positive());
//   Kernel unit = make_kernel("normalize", {}, {k});
#pragma once

#include <functional>
#include <span>
#include <string>

#include "mercer/kernels/kernel.h"

namespace mercer {

using PairFunction = std::function<double(std::span<const double> x, std::span<const double> y)>;
using FeatureFunction = std::function<void(std::span<const double> x, std::span<double> features)>;

/// k(x, y) = f(x, y), called once per pair, from several threads at a time. f must be symmetric; what is claimed of its
/// definiteness is trusted. No derivatives by the inputs. Throws InvalidArgument for an empty name or function.
Kernel from_function(const std::string& name, PairFunction f, const Definiteness& definiteness);

/// k(x, y) = ⟨Φ(x), Φ(y)⟩ with `dimension` features, called once per sample. Positive by construction.
Kernel from_feature_map(const std::string& name, FeatureFunction phi, Index dimension);

}  // namespace mercer
