#include "gram_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "mercer/base/parallel.h"
#include "mercer/base/text.h"
#include "mercer/data/files/atomic_file.h"
#include "output_name.h"

namespace mercer::program {

namespace {

constexpr Index block_rows = 256;
constexpr Index block_columns = 1024;
constexpr Index corner_size = 6;

// Version 1.0 of the format: magic, length, a Python dictionary padded so that data begin at a multiple of 64.
std::string npy_header(Index n, std::size_t number_size) {
  std::string dictionary =
      fmt::format("{{'descr': '<f{}', 'fortran_order': False, 'shape': ({}, {}), }}", number_size, n, n);
  constexpr std::size_t prefix = 10;
  const std::size_t total = (prefix + dictionary.size() + 1 + 63) / 64 * 64;
  dictionary.resize(total - prefix - 1, ' ');
  dictionary += '\n';
  std::string header = "\x93NUMPY";
  header += '\x01';
  header += '\0';
  header += static_cast<char>(dictionary.size() & 0xFFU);
  header += static_cast<char>(dictionary.size() >> 8U);
  return header + dictionary;
}

template <class T>
std::string csv_line(std::span<const T> row) {
  std::string text;
  for (const T value : row) {
    text += shortest(value);
    text += ',';
  }
  text.back() = '\n';
  return text;
}

}  // namespace

template <class T>
void for_each_row_block(const KernelGram<T>& gram, const Run& run,
                        const std::function<void(IndexRange rows, ConstMatrixView<T> block)>& consume) {
  const Index n = gram.size();
  Matrix<T> buffer(std::min(block_rows, n), n);
  for (Index b = 0; b < block_count(n, block_rows); ++b) {
    const IndexRange rows = block_range(n, block_rows, b);
    const MatrixView<T> block = buffer.view().block(0, 0, rows.size(), n);
    parallel_for(run, block_count(n, block_columns), [&](Index c) {
      const IndexRange columns = block_range(n, block_columns, c);
      gram.tile(rows, columns, block.block({0, rows.size()}, columns));
    });
    consume(rows, block);
    run.progress("kernel matrix", static_cast<double>(rows.end), static_cast<double>(n));
  }
}

template <class T>
GramSummary summarize(const KernelGram<T>& gram, const Run& run) {
  GramSummary summary;
  summary.smallest = summary.smallest_diagonal = std::numeric_limits<double>::infinity();
  summary.largest = summary.largest_diagonal = -summary.smallest;
  const Index corner = std::min(corner_size, gram.size());
  summary.corner = Matrix<double>(corner, corner);
  double sum = 0;
  for_each_row_block<T>(gram, run, [&](IndexRange rows, ConstMatrixView<T> block) {
    for (Index i = 0; i < rows.size(); ++i) {
      for (Index j = 0; j < block.columns(); ++j) {
        const auto value = static_cast<double>(block(i, j));
        summary.smallest = std::min(summary.smallest, value);
        summary.largest = std::max(summary.largest, value);
        sum += value;
        if (rows.begin + i < corner && j < corner) {
          summary.corner(rows.begin + i, j) = value;
        }
      }
      const auto diagonal = static_cast<double>(block(i, rows.begin + i));
      summary.smallest_diagonal = std::min(summary.smallest_diagonal, diagonal);
      summary.largest_diagonal = std::max(summary.largest_diagonal, diagonal);
    }
  });
  const auto n = static_cast<double>(gram.size());
  summary.mean = sum / (n * n);
  return summary;
}

template <class T>
void write_gram(const std::string& path, const KernelGram<T>& gram, const Run& run) {
  const bool binary = matrix_format(path) == MatrixFormat::npy;
  AtomicFile file(path);
  if (binary) {
    file.write(npy_header(gram.size(), sizeof(T)));
  }
  for_each_row_block<T>(gram, run, [&](IndexRange, ConstMatrixView<T> block) {
    for (Index i = 0; i < block.rows(); ++i) {
      const std::span<const T> row = block.row(i);
      run.check_stop();
      if (binary) {
        file.write({reinterpret_cast<const char*>(row.data()), row.size_bytes()});
      } else {
        file.write(csv_line(row));
      }
    }
  });
  file.commit();
}

template void for_each_row_block(const KernelGram<float>&, const Run&,
                                 const std::function<void(IndexRange, ConstMatrixView<float>)>&);
template void for_each_row_block(const KernelGram<double>&, const Run&,
                                 const std::function<void(IndexRange, ConstMatrixView<double>)>&);
template GramSummary summarize(const KernelGram<float>&, const Run&);
template GramSummary summarize(const KernelGram<double>&, const Run&);
template void write_gram(const std::string&, const KernelGram<float>&, const Run&);
template void write_gram(const std::string&, const KernelGram<double>&, const Run&);

}  // namespace mercer::program
