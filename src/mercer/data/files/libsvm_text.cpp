#include "mercer/data/files/libsvm_text.h"

#include <atomic>
#include <cstring>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/data/files/libsvm_parser.h"
#include "mercer/data/files/text_chunks.h"
#include "mercer/data/segmented_array.h"

namespace mercer {

namespace {

using detail::ChunkCount;
using detail::ChunkError;
using detail::IndexExtent;
using detail::Places;

template <class T>
struct SparseMemory {
  Buffer<T> values;
  Buffer<std::int32_t> columns;
  Buffer<std::int64_t> offsets;  // rows + 1
  std::vector<double> labels;
  Index rows = 0;
  Index entries = 0;
  Index lines = 0;
  IndexExtent extent;
};

struct ChunkStarts {
  std::vector<ChunkCount> counts;  // running sums: what stands before each piece, and the totals at the end
};

ChunkStarts count_chunks(const TextChunks& chunks, std::string_view task, const Run& run) {
  ChunkStarts starts{std::vector<ChunkCount>(static_cast<std::size_t>(chunks.count()) + 1)};
  std::vector<std::vector<char>> scratch(run.threads());
  parallel_for_workers(
      run, chunks.count(),
      [&](Index c, int worker) { starts.counts[c + 1] = detail::count_libsvm_chunk(chunks.load(c, scratch[worker])); },
      task);
  for (std::size_t c = 1; c < starts.counts.size(); ++c) {
    starts.counts[c].lines += starts.counts[c - 1].lines;
    starts.counts[c].rows += starts.counts[c - 1].rows;
    starts.counts[c].entries += starts.counts[c - 1].entries;
  }
  return starts;
}

// The first error of the text wins, whichever thread finds one first: pieces before it are still parsed.
class FirstError {
 public:
  explicit FirstError(Index chunks) : errors_(static_cast<std::size_t>(chunks)), first_(chunks) {}
  bool before(Index chunk) const { return first_.load() < chunk; }
  void record(Index chunk, ChunkError error) {
    errors_[chunk] = std::move(error);
    Index seen = first_.load();
    while (chunk < seen && !first_.compare_exchange_weak(seen, chunk)) {
    }
  }
  void rethrow(const std::string& file, const ChunkStarts& starts, Index lines_before) const {
    const auto chunk = static_cast<std::size_t>(first_.load());
    if (chunk < errors_.size()) {
      const ChunkError& error = *errors_[chunk];
      throw DataError({file, lines_before + starts.counts[chunk].lines + error.line, error.column}, error.message);
    }
  }

 private:
  std::vector<std::optional<ChunkError>> errors_;
  std::atomic<Index> first_;
};

template <class T>
SparseMemory<T> parse_chunks(const TextChunks& chunks, const ReadOptions& options, Index lines_before, const Run& run) {
  const std::string task = "reading " + chunks.name();
  const ChunkStarts starts = count_chunks(chunks, {}, run);
  const ChunkCount total = starts.counts.back();
  SparseMemory<T> memory{Buffer<T>(total.entries),
                         Buffer<std::int32_t>(total.entries),
                         Buffer<std::int64_t>(total.rows + 1),
                         std::vector<double>(total.rows),
                         total.rows,
                         total.entries,
                         total.lines,
                         {}};
  memory.offsets.data()[0] = 0;
  std::vector<IndexExtent> extents(chunks.count());
  std::vector<std::vector<char>> scratch(run.threads());
  FirstError errors(chunks.count());
  const auto parse_one = [&](Index c, int worker) {
    if (errors.before(c)) {
      return;
    }
    const ChunkCount begin = starts.counts[c];
    const ChunkCount end = starts.counts[c + 1];
    const Places<T> places{memory.labels.data() + begin.rows,
                           memory.offsets.data() + 1 + begin.rows,
                           memory.values.data() + begin.entries,
                           memory.columns.data() + begin.entries,
                           begin.entries,
                           end.rows - begin.rows,
                           end.entries - begin.entries};
    try {
      extents[c] = detail::parse_libsvm_chunk<T>(chunks.load(c, scratch[worker]), options, places);
    } catch (ChunkError& error) {
      errors.record(c, std::move(error));
    }
  };
  parallel_for_workers(run, chunks.count(), parse_one, task);
  errors.rethrow(chunks.name(), starts, lines_before);
  for (const IndexExtent& extent : extents) {
    memory.extent.smallest = std::min(memory.extent.smallest, extent.smallest);
    memory.extent.largest = std::max(memory.extent.largest, extent.largest);
  }
  return memory;
}

// Compressed input and pipes can be read only once: blocks of whole lines are parsed like a small text each.
template <class T>
SparseMemory<T> parse_stream(InputStream& stream, const ReadOptions& options, const Run& run) {
  constexpr Index block_size = Index{8} << 20;
  SegmentedArray<T> values;
  SegmentedArray<std::int32_t> columns;
  SegmentedArray<std::int64_t> offsets;
  SegmentedArray<double> labels;
  IndexExtent extent;
  const Run quiet = run.quiet();  // pieces of a block are no progress worth showing
  const std::string task = "reading " + stream.name();
  Index total_bytes = 0;
  Index lines = 0;
  std::vector<char> block;
  Index kept = 0;  // an unfinished line in front
  Index wanted = block_size;
  const std::int64_t zero = 0;
  offsets.append(&zero, 1);
  for (bool more = true; more;) {
    run.check_stop();
    block.resize(kept + wanted);
    const Index length = kept + static_cast<Index>(stream.read(block.data() + kept, static_cast<std::size_t>(wanted)));
    more = length == kept + wanted;
    Index complete = length;
    if (more) {
      const auto* newline =
          static_cast<const char*>(memrchr(block.data() + kept, '\n', static_cast<std::size_t>(wanted)));
      complete = newline != nullptr ? newline - block.data() + 1 : 0;
      if (complete == 0 && length > longest_line) {
        throw DataError({stream.name(), lines + 1}, "a line is longer than 1 GiB; this does not look like a text file");
      }
    }
    const TextChunks chunks(stream.name(), {block.data(), static_cast<std::size_t>(complete)}, options.chunk_bytes);
    SparseMemory<T> part = parse_chunks<T>(chunks, options, lines, quiet);
    run.progress(task, static_cast<double>(total_bytes += complete), 0);
    for (Index i = 1; i <= part.rows; ++i) {
      part.offsets.data()[i] += values.size();
    }
    values.append(part.values.data(), part.entries);
    columns.append(part.columns.data(), part.entries);
    offsets.append(part.offsets.data() + 1, part.rows);
    labels.append(part.labels.data(), part.rows);
    extent.smallest = std::min(extent.smallest, part.extent.smallest);
    extent.largest = std::max(extent.largest, part.extent.largest);
    lines += part.lines;
    std::copy(block.begin() + complete, block.begin() + length, block.begin());
    kept = length - complete;
    // A line longer than the block: read twice as much each time, so that the work stays linear.
    wanted = complete == 0 ? length : block_size;
  }
  std::vector<char>().swap(block);
  SparseMemory<T> memory;
  memory.rows = offsets.size() - 1;
  memory.entries = values.size();
  memory.lines = lines;
  memory.extent = extent;
  memory.values = values.joined();
  memory.columns = columns.joined();
  memory.offsets = offsets.joined();
  const Buffer<double> joined = labels.joined();
  memory.labels.assign(joined.data(), joined.data() + joined.size());
  return memory;
}

template <class T>
DataFile finish(SparseMemory<T> memory, const std::string& name, const ReadOptions& options) {
  if (memory.rows == 0) {
    throw DataError({name}, "the file holds no samples; a line is 'label index:value index:value …'");
  }
  std::int64_t shift = options.indices == LibsvmIndices::from_one ? 1 : 0;
  if (options.indices == LibsvmIndices::detect && memory.extent.smallest > 0) {
    shift = 1;
    for (Index e = 0; e < memory.entries; ++e) {
      --memory.columns.data()[e];
    }
  }
  const Index columns = std::max<Index>(memory.extent.largest + 1 - shift, options.columns);
  DataFile file;
  file.format = FileFormat::libsvm;
  file.targets = Targets::numeric(std::move(memory.labels), "label");
  const Index rows = memory.rows;
  const auto owner = std::make_shared<SparseMemory<T>>(std::move(memory));
  file.samples = Samples(SparseRows<T>{owner->values.data(), owner->columns.data(), owner->offsets.data(), rows,
                                       std::max<Index>(columns, 0)},
                         owner);
  file.schema = schema_of(file.samples);
  return file;
}

void check_options(const ReadOptions& options) {
  if (options.chunk_bytes < 1) {
    reject_argument("chunk_bytes", std::to_string(options.chunk_bytes), "1 or greater");
  }
}

template <class T>
DataFile read_as(InputStream& stream, const ReadOptions& options, const Run& run) {
  if (stream.is_plain_file()) {
    const TextChunks chunks(stream.name(), stream.plain_size(), options.chunk_bytes);
    return finish(parse_chunks<T>(chunks, options, 0, run), stream.name(), options);
  }
  return finish(parse_stream<T>(stream, options, run), stream.name(), options);
}

}  // namespace

DataFile read_libsvm(InputStream& stream, const ReadOptions& options, const Run& run) {
  check_options(options);
  return options.precision == StoredPrecision::float32 ? read_as<float>(stream, options, run)
                                                       : read_as<double>(stream, options, run);
}

DataFile read_libsvm(std::string_view text, const std::string& name, const ReadOptions& options, const Run& run) {
  check_options(options);
  const TextChunks chunks(name, text, options.chunk_bytes);
  return options.precision == StoredPrecision::float32
             ? finish(parse_chunks<float>(chunks, options, 0, run), name, options)
             : finish(parse_chunks<double>(chunks, options, 0, run), name, options);
}

}  // namespace mercer
