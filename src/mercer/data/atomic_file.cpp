#include "mercer/data/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "mercer/base/error.h"

namespace mercer {

namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 20;

// Renaming onto a symbolic link would replace the link; users expect the file behind it to change.
std::string resolved(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr), &std::free);
  return real ? std::string(real.get()) : path;
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path) : path_(path) {
  if (path == "-") {
    path_ = "stdout";
    descriptor_ = 1;
    return;
  }
  path_ = resolved(path);
  struct stat status{};
  if (stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    if (S_ISDIR(status.st_mode)) {
      throw IoError(path_ + ": cannot be written: it is a folder");
    }
    descriptor_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) {
      fail("cannot be opened for writing");
    }
    return;
  }
  for (int attempt = 0; descriptor_ < 0; ++attempt) {
    temporary_ = path_ + ".part-" + std::to_string(getpid()) + "-" + std::to_string(attempt);
    descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && (errno != EEXIST || attempt > 1000)) {
      temporary_.clear();
      fail("cannot be written");
    }
  }
}

AtomicFile::~AtomicFile() {
  if (descriptor_ > 1) {
    close(descriptor_);
  }
  if (!temporary_.empty()) {
    unlink(temporary_.c_str());
  }
}

void AtomicFile::fail(const char* what) const { throw IoError(path_ + ": " + what + ": " + std::strerror(errno)); }

void AtomicFile::write(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() >= buffer_size) {
    flush();
  }
}

void AtomicFile::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t count = ::write(descriptor_, rest.data(), rest.size());
    if (count < 0) {
      if (errno == EINTR) {
        continue;
      }
      fail("cannot be written");
    }
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  buffer_.clear();
}

void AtomicFile::commit() {
  flush();
  if (descriptor_ > 1) {
    const int code = close(descriptor_);
    descriptor_ = -1;
    if (code != 0) {
      fail("cannot be written");
    }
  }
  if (!temporary_.empty()) {
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
      fail("cannot be renamed to its final name");
    }
    temporary_.clear();
  }
}

}  // namespace mercer
