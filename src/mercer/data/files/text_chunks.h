// TextChunks: a long text, in a plain file or in memory, cut into pieces of about equal size at line ends.
//
// Piece c holds the complete lines that start within bytes [c·chunk, (c+1)·chunk). A file is read by position into
// the caller's scratch memory, not mapped: mapped pages would count as this process's memory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/index.h"

namespace mercer {

class TextChunks {
 public:
  /// A plain file of known size; IoError where it cannot be opened.
  TextChunks(const std::string& path, Index size, Index chunk_bytes);
  /// Memory that the caller keeps alive.
  TextChunks(std::string name, std::string_view text, Index chunk_bytes);
  ~TextChunks();
  TextChunks(const TextChunks&) = delete;
  TextChunks& operator=(const TextChunks&) = delete;
  TextChunks(TextChunks&&) = delete;
  TextChunks& operator=(TextChunks&&) = delete;

  Index count() const { return block_count(size_, chunk_bytes_); }
  const std::string& name() const { return name_; }

  /// The lines of one piece, each ended by '\n' (one is added where the text does not end with it). Thread-safe.
  std::string_view load(Index chunk, std::vector<char>& scratch) const;

 private:
  Index read_at(Index offset, char* out, Index count) const;

  std::string name_;
  std::string_view text_;
  int descriptor_ = -1;
  Index size_ = 0;
  Index chunk_bytes_ = 0;
};

/// Lines longer than this are refused: no data file has them, but a hostile one may.
inline constexpr Index longest_line = Index{1} << 30;

}  // namespace mercer
