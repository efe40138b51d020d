// Explicit monomial features: all products of `degree` coordinates, each with the weight √(degree!/Π m_c!), so that the
// inner product is (x·y + coef0)^degree; coef0 adds a coordinate √coef0. Specs C10, F2, F3, trap 1. The same function as
// `poly`, computed the other way: for teaching, tests, and few columns with many samples.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& features_entry();

}  // namespace mercer
