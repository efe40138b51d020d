// Model files: the safetensors container (https://github.com/huggingface/safetensors), so that any tool of that
// ecosystem can open them.
//
//   8 bytes       length of the header, little endian
//   header        JSON: tensor name → {dtype, shape, data_offsets}, and "__metadata__", a map of strings; padded with
//                 blanks so that the data begin at a multiple of 8
//   data          raw little-endian arrays, back to back
//
// The metadata key `mercer` holds one JSON text: format version, library version, model, requested and resolved kernel,
// settings, report, schema, embedding, scaling, kind of the labels, annotations, and how the tensors make up samples. Dense samples
// are one tensor; sparse ones, strings, sets, bags, graphs and categories are byte, number and offset tensors (see
// io/stored_samples.h). The key `checksum` guards all bytes (io/checksum.h).
//
// The same fit writes the same bytes: no time, host or number of threads goes into a file.
//
// Formats: 1 had no checksum, no kind of labels and no annotations, and held the seconds of a fit. 1 and 2 held integers and
// words as doubles, and facts of the fit as names and sentences alone. 3 is written now.
//
// A file from outside is not trusted: every length, offset, type, shape and number is checked before it is used, and
// memory follows the bytes that are there, not those that a header claims.
#pragma once

#include <string>
#include <string_view>

#include "mercer/base/run.h"
#include "mercer/models/stored_model.h"

namespace mercer {

/// The version that is written. Files of every version up to it are read.
inline constexpr int model_format_version = 3;
/// Of models whose rows are coded, which older versions would leave out.
inline constexpr int coded_format_version = 4;
/// Of models that begin with a prior function, which older versions would leave out. It stands in the file as a model file of its
/// own, the bytes of the tensor `prior.model`.
inline constexpr int prior_format_version = 5;

/// Of models with a decision rule, which older versions would leave out.
inline constexpr int decision_format_version = 6;

/// Writes the model; the file appears complete or not at all. "-" is standard output. IoError where that fails;
/// InvalidArgument where the kernel is a function of the caller's own, which no file can hold.
void save_model(const std::string& path, const StoredModel& stored);

/// Reads a model ("-": standard input; compressed files are unpacked). The loaded model gives the same predictions,
/// bit for bit. Memory: that of the file, whose arrays are used in place, and what the kernel prepares. DataError
/// naming the file and what is wrong with it; IoError where it cannot be read.
StoredModel load_model(const std::string& path, const Run& run = {});

/// The same in memory; `name` stands for the file in messages.
std::string model_to_bytes(const StoredModel& stored);
StoredModel model_from_bytes(std::string_view bytes, const std::string& name, const Run& run = {});

}  // namespace mercer
