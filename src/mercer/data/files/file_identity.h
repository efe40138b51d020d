// Which file a path means: links of both kinds followed, whether or not the file is there yet.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

namespace mercer {

/// The path that a file written to `path` gets: symbolic links are followed, also one whose file is not there yet.
std::string final_path(const std::string& path);

/// Equal for two paths where they mean one file.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t number = 0;  ///< of the file; of its folder where the file is not there yet
  std::string name = {};     ///< of a file that is not there yet
  auto operator<=>(const FileIdentity&) const = default;
};

/// Of a regular file, or of one that could be made there; empty for devices, pipes and folders, which nothing replaces,
/// and where the folder does not exist.
std::optional<FileIdentity> identity_of(const std::string& path);
/// Of the regular file behind an open descriptor; empty for others.
std::optional<FileIdentity> identity_of_descriptor(int descriptor);

}  // namespace mercer
