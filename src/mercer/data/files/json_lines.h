// JSON lines: one JSON object per line, whose keys are the columns of a table.
//
//   {"age": 41, "city": "Rome", "tags": ["a", "b"], "points": [[0, 1], [2, 3]],
//    "molecule": {"nodes": ["C", "O"], "edges": [[0, 1, "double"]]}, "y": 1.5}            (on one line)
//
// Numbers and true/false are numeric (true/false of a target: classes); strings are categories or texts by the rules of
// CSV, and never numbers; arrays of strings or of whole numbers are sets; arrays of arrays of numbers are bags of vectors
// of one dimension; objects with "edges", [i, j] or [i, j, label] from 0, and "nodes", their number or the list of their
// labels, are graphs, undirected unless "directed" is true. null and absent keys are missing values; for texts, sets, bags
// and graphs they stand for the empty one. Keys may come in any order, and a key may first appear in a later line.
#pragma once

#include "mercer/data/files/data_file.h"

namespace mercer {

/// Samples are a table. DataError with the line (and for broken JSON the byte) where a line is no object, a key has values
/// of two kinds, nesting exceeds what the kinds need, a line is longer than 256 MiB, or keys differ so much from line to
/// line that a table of them would be mostly holes. Cost: the text, once; memory: the columns and one parsed line.
DataFile read_json_lines(InputStream& stream, const ReadOptions& options, const Run& run);

/// Whether a text begins like JSON lines.
bool looks_like_json_lines(std::string_view head);

}  // namespace mercer
