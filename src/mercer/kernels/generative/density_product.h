// Kernels from a density p fitted to the training samples (a Gaussian mixture), on vectors and on bags of vectors, whose
// points are independent draws:
//
//   density_product    c² p(x) p(y)                        of rank 1
//   mixture_product    c² Σ_k w_k p(x | k) p(y | k)        of rank at most the number of components; for c = 1 a density in
//                                                          (x, y): both points from one component
//
// (Schölkopf & Smola 2002, 13.1.3; Haussler 1999.) Densities depend on the units of the data and are tiny or huge in many
// dimensions, so that by default c = 1/(the largest density of a training sample); log_scale = 0 gives the densities
// themselves. Factors are held below e³⁵⁰ and multiplied in double: values are finite, and where one is beyond single precision,
// single precision is refused.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& density_product_entry();
const KernelEntry& mixture_product_entry();

}  // namespace mercer
