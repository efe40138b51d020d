#include "mercer/data/files/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/files/file_descriptor.h"
#include "mercer/data/files/file_identity.h"

namespace mercer {

namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 20;

// Gives a new file the mode and group of the one that it replaces, and its owner where that is permitted. Where the
// group cannot be given, its members get no more than everybody.
void keep_access(int descriptor, const struct stat& replaced) {
  mode_t mode = replaced.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
  if (fchown(descriptor, static_cast<uid_t>(-1), replaced.st_gid) != 0) {
    mode &= ~static_cast<mode_t>(S_IRWXG) | ((mode & S_IRWXO) << 3U);
  }
  [[maybe_unused]] const int owner = fchown(descriptor, replaced.st_uid, static_cast<gid_t>(-1));
  // A file system without modes refuses; the new file then stays the user's alone.
  fchmod(descriptor, mode);
}

// The number of /dev/fd/3; the file behind it belongs to who opened it, and is not replaced.
std::optional<int> named_descriptor(std::string_view path) {
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (path.starts_with(folder)) {
      const auto number = parse_integer(path.substr(folder.size()));
      return number && *number >= 0 && *number < (1 << 20) ? std::optional(static_cast<int>(*number)) : std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace

bool names_standard_output(std::string_view path) {
  return path == "-" || path == "/dev/stdout" || named_descriptor(path) == STDOUT_FILENO;
}

AtomicFile::AtomicFile(const std::string& path, Compression compression) : encoder_(make_output_encoder(compression)) {
  // By its other names too: a file that standard output is appended to must not be replaced.
  if (names_standard_output(path)) {
    path_ = "stdout";
    descriptor_ = STDOUT_FILENO;
    return;
  }
  if (const auto descriptor = named_descriptor(path)) {
    path_ = path;
    descriptor_ = fcntl(*descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (descriptor_ < 0) {
      fail_to_open("cannot be written");
    }
    return;
  }
  path_ = final_path(path);
  struct stat status{};
  const bool exists = stat(path_.c_str(), &status) == 0;
  if (!exists && errno == ELOOP) {
    fail_to_open("cannot be written");
  }
  if (!exists || S_ISREG(status.st_mode)) {
    open_temporary(exists ? &status : nullptr);
    return;
  }
  if (S_ISDIR(status.st_mode)) {
    throw IoError(path_ + ": cannot be written: it is a folder");
  }
  descriptor_ = open_descriptor(path_, O_WRONLY);
  if (descriptor_ < 0) {
    fail_to_open("cannot be opened for writing");
  }
}

void AtomicFile::open_temporary(const struct stat* replaced) {
  // Renaming needs no permission to write the old file, but whoever took it away meant to keep the file.
  if (replaced != nullptr && access(path_.c_str(), W_OK) != 0) {
    fail_to_open("cannot be written");
  }
  for (int attempt = 0; descriptor_ < 0; ++attempt) {
    temporary_ = path_ + ".part-" + std::to_string(getpid()) + "-" + std::to_string(attempt);
    descriptor_ = open_descriptor(temporary_, O_WRONLY | O_CREAT | O_EXCL, replaced == nullptr ? 0666 : 0600);
    if (descriptor_ < 0 && (errno != EEXIST || attempt > 1000)) {
      temporary_.clear();
      fail_to_open("cannot be written");
    }
  }
  if (replaced != nullptr) {
    keep_access(descriptor_, *replaced);
  }
}

AtomicFile::~AtomicFile() {
  close_descriptor();
  if (!temporary_.empty()) {
    unlink(temporary_.c_str());
  }
}

// Standard output stays open; it is not this file's own.
int AtomicFile::close_descriptor() {
  const int descriptor = std::exchange(descriptor_, -1);
  return descriptor > STDERR_FILENO && close(descriptor) != 0 ? errno : 0;
}

void AtomicFile::fail_to_open(const char* what) const {
  throw IoError(path_ + ": " + what + ": " + std::strerror(errno));
}

void AtomicFile::fail_to_write(const char* what, int error) const {
  throw WriteError(path_ + ": " + what + ": " + std::strerror(error));
}

void AtomicFile::write(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() >= buffer_size) {
    flush(Rest::follows);
  }
}

void AtomicFile::flush(Rest rest) {
  std::string encoded;
  if (encoder_) {
    encoder_->encode(buffer_, encoded);
    if (rest == Rest::ends) {
      encoder_->finish(encoded);
    }
  }
  const int error = write_all(descriptor_, encoder_ ? encoded : buffer_);
  if (error != 0) {
    fail_to_write("cannot be written", error);
  }
  buffer_.clear();
}

void AtomicFile::commit() {
  flush(Rest::ends);
  if (const int error = close_descriptor(); error != 0) {
    fail_to_write("cannot be written", error);
  }
  if (!temporary_.empty()) {
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
      fail_to_write("cannot be renamed to its final name", errno);
    }
    temporary_.clear();
  }
}

}  // namespace mercer
