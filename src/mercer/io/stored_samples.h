// Samples as tensors, of every kind. A small JSON description says the kind and what no tensor holds (names of
// columns); the tensors are called after the samples: "centres" for dense ones, "centres.values", "centres.offsets" …
// for the others.
//
//   dense       NAME                 F64 or F32, n × d
//   sparse      NAME.values, .columns, .offsets                   CSR; "columns" in the description
//   strings     NAME.bytes, .offsets
//   sets        NAME.members, .offsets
//   bags        NAME.points (m × d), .offsets
//   graphs      NAME.vertex_offsets, .edge_offsets, .neighbours, and .vertex_labels, .edge_labels where there are any
//   categories  NAME.codes, .levels.bytes, .levels.offsets
//   table       NAME.numeric and NAME.0, NAME.1 … of the kinds above; names in the description
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "mercer/data/samples.h"
#include "mercer/io/safetensors.h"

namespace mercer {

/// Adds the tensors and returns the description.
nlohmann::json store_samples(const Samples& samples, const std::string& name, TensorFile& file);

/// Views of the file's tensors. DataError where offsets, codes, columns or numbers are not what the kind demands.
Samples restore_samples(const nlohmann::json& description, const std::string& name, const TensorFile& file);

/// A text of any bytes as JSON: UTF-8 as it is, anything else as {"bytes": …} with one code point per byte.
nlohmann::json store_text(const std::string& text);
std::string restore_text(const nlohmann::json& value);

/// A member of a JSON object; DataError where it is missing.
const nlohmann::json& json_member(const nlohmann::json& object, const char* name);

}  // namespace mercer
