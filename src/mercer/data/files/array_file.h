// Binary arrays of one number type: the common ground of .npy and idx.
#pragma once

#include <string>

#include "mercer/data/files/data_file.h"

namespace mercer {

enum class NumberType { boolean, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64 };
enum class ByteOrder { little, big };
enum class StorageOrder { row_major, column_major };

/// What a header claims. The claim is compared with the bytes that follow, never trusted for an allocation.
struct ArrayShape {
  NumberType type = NumberType::float64;
  ByteOrder bytes = ByteOrder::little;
  StorageOrder storage = StorageOrder::row_major;
  Index rows = 0;
  Index columns = 0;
};

/// Dimensions flattened to rows × columns; DataError where the product does not fit 62 bits or there are no rows.
void set_dimensions(ArrayShape& shape, const std::vector<Index>& dimensions, const std::string& file);

/// The array behind the header: the target columns, given by number, exactly, and the others as dense samples in the
/// wanted precision (column-major arrays stay so, as a view).
DataFile read_array(InputStream& stream, const ArrayShape& shape, const ReadOptions& options, const Run& run);

}  // namespace mercer
