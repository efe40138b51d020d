// Texts one per line: every line of the file is a sample, an empty one too. The targets, if any, come from another file.
#pragma once

#include "mercer/data/files/data_file.h"

namespace mercer {

/// Samples are strings, without line ends (\n or \r\n). Lines may be of any length; memory: the texts, once. DataError
/// where targets are asked for by name.
DataFile read_text_lines(InputStream& stream, const ReadOptions& options, const Run& run);

}  // namespace mercer
