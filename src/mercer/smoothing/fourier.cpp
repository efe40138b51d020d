#include "mercer/smoothing/fourier.h"

#include <algorithm>
#include <unsupported/Eigen/FFT>
#include <vector>

#include "mercer/base/parallel.h"

namespace mercer {

namespace {

constexpr Index lines_per_task = 64;

}  // namespace

Index fast_fourier_size(Index size) {
  for (Index candidate = std::max<Index>(size, 1);; ++candidate) {
    Index rest = candidate;
    for (const Index factor : {2, 3, 5}) {
      while (rest % factor == 0) {
        rest /= factor;
      }
    }
    if (rest == 1) {
      return candidate;
    }
  }
}

void fourier_transform(std::span<std::complex<double>> values, const std::array<Index, 3>& sizes,
                       FourierDirection direction, const Run& run) {
  const Index total = sizes[0] * sizes[1] * sizes[2];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Index size = sizes[axis];
    if (size == 1) {
      continue;
    }
    const Index stride = axis == 0 ? sizes[1] * sizes[2] : axis == 1 ? sizes[2] : 1;
    const Index lines = total / size;
    parallel_for(run, block_count(lines, lines_per_task), [&](Index task) {
      Eigen::FFT<double> transform;
      std::vector<std::complex<double>> in(size);
      std::vector<std::complex<double>> out(size);
      const IndexRange range = block_range(lines, lines_per_task, task);
      for (Index line = range.begin; line < range.end; ++line) {
        std::complex<double>* first = values.data() + line / stride * (stride * size) + line % stride;
        for (Index i = 0; i < size; ++i) {
          in[i] = first[i * stride];
        }
        if (direction == FourierDirection::forward) {
          transform.fwd(out.data(), in.data(), size);
        } else {
          transform.inv(out.data(), in.data(), size);
        }
        for (Index i = 0; i < size; ++i) {
          first[i * stride] = out[i];
        }
      }
    });
  }
}

}  // namespace mercer
