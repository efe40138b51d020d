#include "mercer/data/files/file_identity.h"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

namespace mercer {

namespace {

FileIdentity identity_from(const struct stat& status) { return {.device = status.st_dev, .number = status.st_ino}; }

}  // namespace

std::string final_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr), &std::free);
  if (real) {
    return real.get();
  }
  struct stat status{};
  if (stat(path.c_str(), &status) == 0) {
    return path;  // a pipe by /dev/fd has no path of its own
  }
  constexpr int most_links = 40;  // as the system itself follows
  std::filesystem::path followed = path;
  for (int links = 0; links < most_links; ++links) {
    std::error_code error;
    const std::filesystem::path target = std::filesystem::read_symlink(followed, error);
    if (error) {
      return followed.string();
    }
    followed = followed.parent_path() / target;
  }
  return path;  // a circle: opening it says so
}

std::optional<FileIdentity> identity_of(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) == 0) {
    return S_ISREG(status.st_mode) ? std::optional(identity_from(status)) : std::nullopt;
  }
  const std::filesystem::path place = final_path(path);
  const std::filesystem::path folder = place.has_parent_path() ? place.parent_path() : ".";
  if (stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
    return std::nullopt;
  }
  FileIdentity identity = identity_from(status);
  identity.name = place.filename().string();
  return identity;
}

std::optional<FileIdentity> identity_of_descriptor(int descriptor) {
  struct stat status{};
  const bool is_file = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  return is_file ? std::optional(identity_from(status)) : std::nullopt;
}

}  // namespace mercer
