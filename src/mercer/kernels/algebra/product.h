// k₁ · k₂ · …, entry by entry (Schur product). Children are multiplied one by one; the contraction of child c gets
// q ∘ Π_{e≠c} k_e.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& product_entry();

}  // namespace mercer
