// AtomicFile: a file that appears complete or not at all.
//
// Bytes go to a temporary file in the same folder; commit() renames it to its final name. Without commit(), as after
// an exception or a stop, the destructor removes it and an older file of that name stays as it was. "-" is standard
// output; devices, pipes and descriptors (/dev/fd/3) are written directly. A file that replaces another is as open to others as that one was:
// mode and group are kept, and the owner where the system permits it. Names that end in .gz, .bz2 or .xz are compressed.
#pragma once

#include <sys/stat.h>

#include <memory>
#include <string>
#include <string_view>

#include "mercer/data/files/output_encoder.h"

namespace mercer {

/// Whether a name means standard output: "-", or one that the system has for it.
bool names_standard_output(std::string_view path);

class AtomicFile {
 public:
  /// IoError where the temporary file cannot be made, or where an older file is protected from writing.
  explicit AtomicFile(const std::string& path) : AtomicFile(path, compression_of(path)) {}
  AtomicFile(const std::string& path, Compression compression);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  AtomicFile(AtomicFile&&) = delete;
  AtomicFile& operator=(AtomicFile&&) = delete;

  /// WriteError where the bytes cannot be stored, here or in commit().
  void write(std::string_view bytes);
  /// Writes what is buffered and gives the file its name; call it once, last.
  void commit();

 private:
  enum class Rest { follows, ends };

  void open_temporary(const struct stat* replaced);
  void flush(Rest rest);
  int close_descriptor();
  [[noreturn]] void fail_to_open(const char* what) const;
  [[noreturn]] void fail_to_write(const char* what, int error) const;

  std::string path_;       // final name, symbolic links followed
  std::string temporary_;  // empty: written directly
  std::string buffer_;
  std::unique_ptr<OutputEncoder> encoder_;  // null: plain
  int descriptor_ = -1;
};

}  // namespace mercer
