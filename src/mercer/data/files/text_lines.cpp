#include "mercer/data/files/text_lines.h"

#include "mercer/base/error.h"
#include "mercer/data/files/string_rows_builder.h"

namespace mercer {

DataFile read_text_lines(InputStream& stream, const ReadOptions& options, const Run& run) {
  if (options.targets_presence == Presence::required && !options.targets.empty()) {
    throw DataError({stream.name()}, "lines of text have no column '" + options.targets.front() +
                                         "'; give the targets in a file of their own, one per line (--targets-file)");
  }
  StringRowsBuilder texts;
  std::vector<char> block(std::size_t{1} << 20);
  bool held_return = false;  // a \r that may belong to a line end
  double bytes = 0;
  while (const std::size_t got = stream.read(block.data(), block.size())) {
    std::string_view rest(block.data(), got);
    if (bytes == 0 && rest.starts_with("\xEF\xBB\xBF")) {
      rest.remove_prefix(3);
    }
    while (!rest.empty()) {
      if (held_return && rest.front() != '\n') {
        texts.append("\r");
      }
      held_return = false;
      const auto end = rest.find('\n');
      std::string_view piece = rest.substr(0, end);
      if (piece.ends_with('\r')) {
        piece.remove_suffix(1);
        held_return = end == rest.npos;
      }
      texts.append(piece);
      if (end == rest.npos) {
        break;
      }
      texts.end_row();
      rest.remove_prefix(end + 1);
    }
    bytes += static_cast<double>(got);
    run.check_stop();
    run.progress("reading " + stream.name(), bytes, static_cast<double>(std::max<Index>(stream.plain_size(), 0)));
  }
  if (held_return || texts.open_bytes() > 0) {
    texts.end_row();
  }
  if (texts.rows() == 0) {
    throw DataError({stream.name()}, "the file is empty; there are no samples in it");
  }
  DataFile file;
  file.samples = texts.finish();
  file.schema = schema_of(file.samples);
  file.format = FileFormat::lines;
  return file;
}

}  // namespace mercer
