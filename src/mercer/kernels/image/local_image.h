// The local image kernel: products of pixels are summed over overlapping pyramids and raised to a power, so that pixels
// near each other act together,
//
//   z_c = Σ_p w(‖c − p‖_∞) x_p y_p,   w(n) = max(q − n, 0),      k(x, y) = (Σ_c z_c^{d1})^{d2}
//
// c runs over the pixels (border=inside) or over all centres whose pyramid touches the image (border=extended; then
// d1 = 1 is the polynomial kernel (W⟨x, y⟩)^{d2}, W = Σ w; with centres inside, border pixels weigh less). A pyramid covers
// 2q−1 pixels across. Samples are rows of pixels, row by row; `width` pixels to a row, otherwise as near to a square as the
// number of pixels allows. A pyramid is a sum of q boxes and boxes are running sums: O(q · pixels) per pair. Positive
// definite for whole d1, d2 ≥ 1. Reference: Schölkopf, Simard, Smola & Vapnik (1998); Schölkopf & Smola (2002), (13.21).
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& local_image_entry();

}  // namespace mercer
