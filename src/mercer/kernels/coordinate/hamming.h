// Kernels that ask whether coordinates are equal, on categorical and numeric columns:
//
//   hamming  exp(−γ · number of columns in which x and y differ)
//   delta    1 if x and y agree in every column, else 0 (it compares values; `white` compares identity)
//
// They see every numeric and categorical column of their scope. A level that was unknown when the levels were fixed
// equals nothing, not even itself; both kernels stay positive with that.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& hamming_entry();
const KernelEntry& delta_entry();

}  // namespace mercer
