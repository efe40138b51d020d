// Profiles along sequences: for every place of every row, what the features that cover it add to a linear model's value.
#pragma once

#include <string>
#include <vector>

#include "mercer/data/samples.h"
#include "mercer/features/explicit_map.h"
#include "session.h"

namespace mercer::program {

/// A profile by characters of UTF-8; a byte that is no part of one is a character of its own, written "\xE9".
struct CharacterProfile {
  std::vector<std::string> characters;
  Matrix<double> values;  ///< characters × functions, the sums over their bytes
};

CharacterProfile by_characters(const SequenceProfile& profile);

struct ProfileRequest {
  const ExplicitMap& map;
  ConstMatrixView<double> weights;            ///< features × functions
  const std::vector<std::string>& functions;  ///< their names
  std::string column;                         ///< empty: the only one
  std::string table;                          ///< CSV file, "-" for standard output, empty for none
  std::string picture;                        ///< SVG file of one row, empty for none
  Index row = 0;
};

/// Row after row, so that one of them is in memory at a time; without a table only the row of the picture. UsageError
/// where the kernel sees no sequences, or several and no column is named.
void write_profiles(const ProfileRequest& request, const Samples& samples, Session& session);

}  // namespace mercer::program
