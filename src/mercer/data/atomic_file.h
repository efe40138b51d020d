// AtomicFile: a file that appears complete or not at all.
//
// Bytes go to a temporary file in the same folder; commit() renames it to its final name. Without commit(), as after
// an exception or a stop, the destructor removes it and an older file of that name stays as it was. "-" is standard
// output; devices and pipes are written directly.
#pragma once

#include <string>
#include <string_view>

namespace mercer {

class AtomicFile {
 public:
  /// IoError where the temporary file cannot be made.
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  AtomicFile(AtomicFile&&) = delete;
  AtomicFile& operator=(AtomicFile&&) = delete;

  void write(std::string_view bytes);
  /// Writes what is buffered and gives the file its name; call it once, last.
  void commit();

 private:
  void flush();
  [[noreturn]] void fail(const char* what) const;

  std::string path_;       // final name, symbolic links followed
  std::string temporary_;  // empty: written directly
  std::string buffer_;
  int descriptor_ = -1;
};

}  // namespace mercer
