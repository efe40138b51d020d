// idx, the format of the MNIST files: two zero bytes, a type, the number of dimensions, their sizes (32 bits, big
// endian), then the numbers, big endian. Images are flattened to one row each.
#pragma once

#include "mercer/data/files/data_file.h"

namespace mercer {

/// Whether these first bytes (four are enough) begin an idx file.
bool is_idx(std::string_view head);

DataFile read_idx(InputStream& stream, const ReadOptions& options, const Run& run);

}  // namespace mercer
