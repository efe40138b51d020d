// A one-class machine about the mean Φ₀ = Σ_n s_n Φ(z_n) of given points: its expansion in the kernel itself,
//
//   g(x) = Σ_i β_i ⟨Φ(x_i) − Φ₀, Φ(x) − Φ₀⟩ = Σ_i β_i k(x_i, x) − B Σ_n s_n k(z_n, x) + B q − Σ_i β_i q_i
//   B = Σ_i β_i,   q_i = Σ_n s_n k(x_i, z_n),   q = Σ_n s_n q(z_n)
//
// so that nothing but coefficients and an offset is stored. The coefficients sum to 0: k may be positive beside a constant alone.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/data/samples.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

struct OriginTerms {
  std::vector<double> of_points;  ///< −B s_n
  double offset = 0;              ///< B q − Σ β_i q_i
  double size = 0;                ///< the largest term of g that cancels against others
};

/// `shares` sum to 1, one per point; β one per sample. In double. O((samples + points) · points) kernel values.
OriginTerms origin_terms(const Kernel& kernel, const Samples& samples, std::span<const double> coefficients,
                         const Samples& points, std::span<const double> shares, const Run& run);

}  // namespace mercer
