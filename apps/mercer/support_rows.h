// What commands do with the support vectors of another model: train on them alone, count those that two models share.
#pragma once

#include <string>

#include "mercer/data/files/data_file.h"
#include "mercer/models/svm/support_overlap.h"
#include "output.h"
#include "session.h"

namespace mercer::program {

/// Keeps the rows of the file that are support vectors of the model in `path`, which must have been fitted to the same
/// rows; the console says how many. UsageError for models without, DataError where the file is shorter.
void keep_support_rows(DataFile& data, const std::string& path, const std::string& file, Session& session);

Json as_json(const SupportOverlap& overlap);
std::string as_text(const SupportOverlap& overlap, const std::string& path, const std::string& other);

}  // namespace mercer::program
