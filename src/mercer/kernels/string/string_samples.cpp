#include "mercer/kernels/string/string_samples.h"

#include <string>

#include "mercer/base/error.h"

namespace mercer {

void require_strings(std::string_view kernel, const Samples& samples) {
  if (samples.kind() == SampleKind::strings) {
    return;
  }
  if (samples.kind() != SampleKind::categories) {
    throw InvalidArgument(std::string(kernel) + " compares strings, but the samples are " +
                          std::string(to_string(samples.kind())) +
                          "; name a column of text with a subscript, such as " + std::string(kernel) + "()[sequence]");
  }
  const auto& rows = samples.as<CategoryRows>();
  for (Index i = 0; i < rows.rows; ++i) {
    if (rows.codes[i] < 0) {
      throw DataError(std::string(kernel) + ": the text of row " + std::to_string(i) +
                      " (counted from 0) was not among the categories when the model was fitted, and is lost; fit with "
                      "the column declared as text");
    }
  }
}

std::string_view string_at(const Samples& samples, Index i) {
  if (samples.kind() == SampleKind::strings) {
    return samples.as<StringRows>()[i];
  }
  const auto& rows = samples.as<CategoryRows>();
  return rows.levels[rows.codes[i]];
}

Index common_length(std::string_view kernel, const Samples& samples) {
  Index length = 0;
  for (Index i = 0; i < samples.size(); ++i) {
    const auto own = static_cast<Index>(string_at(samples, i).size());
    if (i == 0) {
      length = own;
    } else if (own != length) {
      throw DataError(
          std::string(kernel) + " compares strings of one length, but row " + std::to_string(i) + " has " +
          std::to_string(own) + " characters where the rows before have " + std::to_string(length) +
          " (rows counted from 0); cut or pad the strings, or take a kernel for any length, such as spectrum");
    }
  }
  return length;
}

}  // namespace mercer
