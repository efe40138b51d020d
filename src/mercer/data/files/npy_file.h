// NumPy .npy, versions 1 to 3: booleans, integers and floats of either byte order, C or Fortran order. One dimension
// gives one column, more than two are flattened behind the first.
// Reference: NEP 1, "A simple file format for NumPy arrays".
#pragma once

#include "mercer/data/files/data_file.h"
#include "mercer/linalg/view.h"

namespace mercer {

DataFile read_npy(InputStream& stream, const ReadOptions& options, const Run& run);

/// Version 1, C order; "-" is standard output. The file appears complete or not at all.
void write_npy(const std::string& path, ConstMatrixView<double> matrix);
void write_npy(const std::string& path, ConstMatrixView<float> matrix);

}  // namespace mercer
