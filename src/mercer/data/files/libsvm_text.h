// LIBSVM / SVMlight text: one sample per line, "label index:value index:value … # comment", indices ascending.
//
// Speed and memory: the text is cut into pieces of fixed size at line ends. A first pass counts the rows and entries
// of every piece, then arrays of exactly the right size are made and a second pass parses the pieces in parallel
// straight into their places. Pieces are cut by size alone, so any number of threads gives the same result and the
// same error (the first one in the file). Peak memory for a plain file: the stored rows and one piece per thread; for
// compressed input and pipes: the stored rows and about 40 MB per array.
#pragma once

#include "mercer/data/files/data_file.h"

namespace mercer {

/// Labels become the one numeric target; "qid:N" is skipped. Values are stored as SparseRows<double> or <float>.
DataFile read_libsvm(InputStream& stream, const ReadOptions& options, const Run& run);
/// The same for text in memory.
DataFile read_libsvm(std::string_view text, const std::string& name, const ReadOptions& options, const Run& run);

}  // namespace mercer
