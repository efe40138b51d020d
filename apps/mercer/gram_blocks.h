// A kernel matrix handed out by blocks of rows, so that it is summed up or written without ever being stored.
#pragma once

#include <functional>
#include <string>

#include "mercer/gram/kernel_gram.h"
#include "session.h"

namespace mercer::program {

/// Calls consume(rows, K(rows, all)) for consecutive blocks of rows; columns are evaluated in parallel. Memory: 256 n.
template <class T>
void for_each_row_block(const KernelGram<T>& gram, const Run& run,
                        const std::function<void(IndexRange rows, ConstMatrixView<T> block)>& consume);

/// What the entries are like.
struct GramSummary {
  double smallest = 0;
  double largest = 0;
  double mean = 0;
  double smallest_diagonal = 0;
  double largest_diagonal = 0;
  Matrix<double> corner;  ///< the first rows and columns
};
template <class T>
GramSummary summarize(const KernelGram<T>& gram, const Run& run);

/// Writes the matrix as .npy (float32 or float64), or as CSV without header for any other name and for "-"; compressed
/// where the name says so. The file appears complete or not at all.
template <class T>
void write_gram(const std::string& path, const KernelGram<T>& gram, const Run& run);

}  // namespace mercer::program
