// FASTA: named sequences, each a header line that begins with '>' and lines of letters.
//
// Bytes are kept as they are, but for blanks and line ends, which are left out, and a '*' at the end of a sequence, which
// ends a protein. Lines that begin with ';' are comments. What a header says may serve as target, weight, group or noise:
// "> chr_num=1, label=-1" holds the keys chr_num and label, pairs separated by blanks, commas, semicolons or bars; `id` is
// the first word. Memory: the sequences, once; lines may be of any length.
#pragma once

#include "mercer/data/files/data_file.h"

namespace mercer {

/// Samples are strings. DataError with the line where letters stand before the first header, a key that is asked for is
/// missing from a header, or a NUL byte shows that this is no text.
DataFile read_fasta(InputStream& stream, const ReadOptions& options, const Run& run);

/// Whether a text begins like FASTA.
bool looks_like_fasta(std::string_view head);

/// The value of a key in a header, if it is there.
std::optional<std::string_view> header_value(std::string_view header, std::string_view key);

}  // namespace mercer
