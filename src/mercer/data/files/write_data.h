// Writing data files: LIBSVM text and CSV. Numbers are printed in shortest form, so that reading gives the same bits.
// Every file appears complete or not at all (see AtomicFile); "-" is standard output.
#pragma once

#include <string>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/data/samples.h"
#include "mercer/data/targets.h"
#include "mercer/linalg/view.h"

namespace mercer {

/// Dense or sparse samples as "label index:value …", indices from 1; zeros of dense samples are left out. Labels are
/// the first target (texts as they are; they should be numbers to be read again), 0 without targets.
void write_libsvm(const std::string& path, const Samples& samples, const Targets* targets = nullptr,
                  const Run& run = {});

/// Dense, sparse, string, category and table samples, the targets in front, with a line of names. Texts are quoted
/// where they must be.
void write_csv(const std::string& path, const Samples& samples, const Targets* targets = nullptr, const Run& run = {});

/// A matrix with a line of names (empty: none).
void write_csv(const std::string& path, ConstMatrixView<double> matrix, const std::vector<std::string>& names,
               const Run& run = {});

/// The same with a column of texts before the numbers: as many texts as rows; `names` holds its heading first.
void write_csv(const std::string& path, const std::vector<std::string>& texts, ConstMatrixView<double> matrix,
               const std::vector<std::string>& names, const Run& run = {});

/// The field as CSV: quoted if it holds a separator, quote, line end or blanks at its ends, or would be read as missing.
std::string csv_field(std::string_view text);

}  // namespace mercer
