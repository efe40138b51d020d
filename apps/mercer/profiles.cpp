#include "profiles.h"

#include <fmt/format.h>

#include <algorithm>

#include "mercer/base/text.h"
#include "mercer/data/files/atomic_file.h"
#include "mercer/data/files/write_data.h"
#include "profile_picture.h"
#include "usage_error.h"

namespace mercer::program {

namespace {

// Bytes of the character that begins at `at`; 0 where none does.
std::size_t character_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(at);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xC2 && first < 0xE0 ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  if (length == 0 || at + length > text.size()) {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0U) != 0x80U) {
      return 0;
    }
  }
  return length;
}

const SequenceProfile& chosen_profile(const std::vector<SequenceProfile>& profiles, const std::string& column,
                                      const Kernel& kernel) {
  if (profiles.empty()) {
    throw UsageError(
        fmt::format("the kernel {} sees no sequences: profiles need one on texts or sequences, such as "
                    "spectrum, weighted_degree or words",
                    kernel.spec()));
  }
  std::vector<std::string> names;
  for (const SequenceProfile& profile : profiles) {
    if (profile.column == column || (column.empty() && profiles.size() == 1)) {
      return profile;
    }
    names.push_back(profile.column.empty() ? "(without a name)" : profile.column);
  }
  throw UsageError(column.empty()
                       ? fmt::format("name one of the sequence columns with --column: {}", join(names, ", "))
                       : fmt::format("--column {}: the kernel's sequence columns are {}", column, join(names, ", ")));
}

CharacterProfile profile_of_row(const ProfileRequest& request, const Samples& samples, Index row) {
  return by_characters(
      chosen_profile(request.map.profile(samples, row, request.weights), request.column, request.map.kernel()));
}

void write_lines(const CharacterProfile& profile, Index row, AtomicFile& file) {
  std::string lines;
  for (std::size_t at = 0; at < profile.characters.size(); ++at) {
    lines += fmt::format("{},{},{}", csv_field(profile.characters[at]), row, at);
    for (const double value : profile.values.view().row(static_cast<Index>(at))) {
      lines += "," + shortest(value);
    }
    lines += "\n";
  }
  file.write(lines);
}

void write_table(const ProfileRequest& request, const Samples& samples, Session& session) {
  AtomicFile file(request.table);
  std::string heading = "symbol,row,position";
  for (const std::string& name : request.functions) {
    heading += "," + csv_field(name);
  }
  file.write(heading + "\n");
  for (Index row = 0; row < samples.size(); ++row) {
    session.run().check_stop();
    session.run().progress("profiles", static_cast<double>(row), static_cast<double>(samples.size()));
    write_lines(profile_of_row(request, samples, row), row, file);
  }
  file.commit();
}

}  // namespace

CharacterProfile by_characters(const SequenceProfile& profile) {
  const std::string& text = profile.sequence;
  CharacterProfile result;
  std::vector<double> sums;
  const Index functions = profile.values.columns();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_length(text, at);
    result.characters.push_back(length > 0 ? text.substr(at, length)
                                           : fmt::format("\\x{:02X}", static_cast<unsigned char>(text[at])));
    const std::size_t end = at + std::max<std::size_t>(length, 1);
    for (Index f = 0; f < functions; ++f) {
      double sum = 0;
      for (std::size_t byte = at; byte < end; ++byte) {
        sum += profile.values(static_cast<Index>(byte), f);
      }
      sums.push_back(sum);
    }
    at = end;
  }
  result.values = Matrix<double>::copy_of(
      ConstMatrixView<double>(sums.data(), static_cast<Index>(result.characters.size()), functions));
  return result;
}

void write_profiles(const ProfileRequest& request, const Samples& samples, Session& session) {
  if (!request.picture.empty()) {
    if (request.row < 0 || request.row >= samples.size()) {
      throw UsageError(
          fmt::format("--row {}: there are {}, counted from 0", request.row, counted(samples.size(), "row")));
    }
    const CharacterProfile drawn = profile_of_row(request, samples, request.row);
    session.write(request.picture, [&] {
      write_profile_picture(request.picture, drawn.characters, drawn.values.view(), request.functions);
    });
  }
  if (!request.table.empty()) {
    if (samples.size() > 0) {
      profile_of_row(request, samples, 0);  // says what is wrong before a file is begun
    }
    session.write(request.table, [&] { write_table(request, samples, session); });
  }
}

}  // namespace mercer::program
