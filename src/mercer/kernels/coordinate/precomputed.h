// Precomputed kernel: the samples are rows of kernel values. Spec K31.
//
// Row i of a sample set holds k(x_i, z_r) for every training sample z_r, r being the row in the matrix that the training
// samples come from: samples keep their row numbers when they are selected, so subsets (support vectors, folds) read
// the right columns. The value of a pair is read from the row of the side that is not the reference.
// ids=first_column: the first column holds the number of the sample, from 1, as in LIBSVM's "0:i"; values follow it.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& precomputed_entry();

}  // namespace mercer
