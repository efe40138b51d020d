// The inner loops of the LIBSVM reader: counting and parsing one piece of text, whole lines that end with '\n'.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "mercer/data/files/data_file.h"

namespace mercer::detail {

/// What one piece of the text holds.
struct ChunkCount {
  Index lines = 0;  // of the text, blank ones too
  Index rows = 0;
  Index entries = 0;
};

/// Where the rows and entries of one piece go.
template <class T>
struct Places {
  double* labels;
  std::int64_t* offsets;  // of row i: its end, relative to `first_entry` of the whole file
  T* values;
  std::int32_t* columns;
  std::int64_t first_entry;
  Index rows;
  Index entries;
};

/// Smallest and largest index met, as written in the file.
struct IndexExtent {
  std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
  std::int64_t largest = -1;
};

/// An error within a piece; its line counts from the start of the piece.
struct ChunkError {
  Index line;
  Index column;
  std::string message;
};

/// Rows and entries, found without parsing: an entry is a colon that belongs neither to "qid:" nor to a comment.
ChunkCount count_libsvm_chunk(std::string_view text);

/// Parses a piece into places that count_libsvm_chunk found; throws ChunkError. T is float or double.
template <class T>
IndexExtent parse_libsvm_chunk(std::string_view text, const ReadOptions& options, const Places<T>& places);

}  // namespace mercer::detail
