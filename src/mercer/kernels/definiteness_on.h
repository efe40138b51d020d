// What is known of a kernel's Gram matrix on given samples. A claim may hold on part of the space only (x ≥ 0, at most so
// many columns); a sample outside takes it away, while the kernel's values are there all the same. Methods that need a
// definite matrix ask here and refuse; methods for any kernel go on.
#pragma once

#include "mercer/base/run.h"
#include "mercer/data/samples.h"
#include "mercer/kernels/kernel.h"
#include "mercer/kernels/prepared.h"

namespace mercer {

/// The kernel's definiteness, or indefinite, with the reason in `off_domain`, where a sample lies off the domain of one of
/// its nodes. Free for kernels without such a domain; for the others the samples are prepared once. Widths that are not
/// resolved yet are taken from the samples.
Definiteness definiteness_on(const Kernel& kernel, const Samples& samples, const Run& run);

/// For variances of new samples, which need what the fit needed: DataError where these lie off the domain.
void require_on_domain(const Kernel& kernel, const Prepared& samples);

}  // namespace mercer
