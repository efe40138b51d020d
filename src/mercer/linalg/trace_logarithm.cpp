#include "mercer/linalg/trace_logarithm.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/linalg/matrix.h"
#include "mercer/linalg/symmetric_eigen.h"

namespace mercer {

namespace {

constexpr std::uint64_t trace_stream = 0x7472616365;
constexpr double breakdown = 1e-12;  // of the length of a new direction: the space is exhausted

// The tridiagonal matrix of one probe.
struct Tridiagonal {
  std::vector<double> diagonal;
  std::vector<double> beside;
  bool done = false;

  // e₁'(ln T)e₁.
  double logarithm(const Run& run) const {
    const auto k = static_cast<Index>(diagonal.size());
    Matrix<double> t = Matrix<double>::filled(k, k, 0.0);
    for (Index i = 0; i < k; ++i) {
      t(i, i) = diagonal[i];
      if (i > 0) {
        t(i, i - 1) = beside[i - 1];
      }
    }
    const SymmetricEigen<double> eigen = symmetric_eigen(t.view(), run);
    double sum = 0;
    for (Index j = 0; j < k; ++j) {
      const double value = std::max(eigen.values[j], std::numeric_limits<double>::min());
      sum += eigen.vectors(0, j) * eigen.vectors(0, j) * std::log(value);
    }
    return sum;
  }
};

// One step for every probe: w = Mv becomes the next direction, v the last one.
class Lanczos {
 public:
  Lanczos(const BlockOperator<double>& multiply, Index size, Index probes)
      : multiply_(multiply),
        v_(size, probes),
        last_(Matrix<double>::filled(size, probes, 0.0)),
        w_(size, probes),
        probes_(static_cast<std::size_t>(probes)) {
    RandomStream random(0, trace_stream);
    const double length = 1 / std::sqrt(static_cast<double>(size));
    for (Index i = 0; i < size; ++i) {
      for (Index p = 0; p < probes; ++p) {
        v_(i, p) = random.uniform() < 0.5 ? -length : length;
      }
    }
  }

  void step() {
    multiply_(v_.view(), w_.view());
    for (Index p = 0; p < v_.columns(); ++p) {
      Tridiagonal& t = probes_[p];
      if (t.done) {
        continue;
      }
      double along = 0;
      for (Index i = 0; i < v_.rows(); ++i) {
        along += v_(i, p) * w_(i, p);
      }
      const double before = t.beside.empty() ? 0.0 : t.beside.back();
      double square = 0;
      for (Index i = 0; i < v_.rows(); ++i) {
        const double rest = w_(i, p) - along * v_(i, p) - before * last_(i, p);
        last_(i, p) = v_(i, p);
        v_(i, p) = rest;
        square += rest * rest;
      }
      const double length = std::sqrt(square);
      t.diagonal.push_back(along);
      t.beside.push_back(length);
      t.done = !(length > breakdown * std::abs(along));
      for (Index i = 0; i < v_.rows(); ++i) {
        v_(i, p) = t.done ? 0.0 : v_(i, p) / length;
      }
    }
  }

  std::vector<double> logarithms(const Run& run) const {
    std::vector<double> values;
    for (const Tridiagonal& t : probes_) {
      values.push_back(t.logarithm(run));
    }
    return values;
  }
  bool is_done() const { return std::ranges::all_of(probes_, &Tridiagonal::done); }

 private:
  const BlockOperator<double>& multiply_;
  Matrix<double> v_;
  Matrix<double> last_;
  Matrix<double> w_;
  std::vector<Tridiagonal> probes_;
};

}  // namespace

void TraceLogarithmOptions::validate() const {
  if (probes < 2) {
    reject_argument("probes", static_cast<double>(probes), "2 or more");
  }
  if (max_steps < 1) {
    reject_argument("max_steps", static_cast<double>(max_steps), "1 or more");
  }
  if (!(tolerance >= 0)) {
    reject_argument("tolerance", tolerance, "0 or more");
  }
}

TraceEstimate trace_of_logarithm(const BlockOperator<double>& multiply, Index size,
                                 const TraceLogarithmOptions& options, const Run& run) {
  options.validate();
  TraceEstimate estimate;
  if (size == 0) {
    return estimate;
  }
  Lanczos lanczos(multiply, size, options.probes);
  const auto n = static_cast<double>(size);
  const auto count = static_cast<double>(options.probes);
  while (estimate.steps < options.max_steps) {
    run.check_stop();
    lanczos.step();
    ++estimate.steps;
    const std::vector<double> values = lanczos.logarithms(run.quiet());
    double mean = 0;
    for (const double value : values) {
      mean += value / count;
    }
    double spread = 0;
    for (const double value : values) {
      spread += (value - mean) * (value - mean);
    }
    const double moved = std::abs(n * mean - estimate.value);
    estimate.value = n * mean;
    estimate.standard_error = n * std::sqrt(spread / (count - 1) / count);
    if (lanczos.is_done() || (estimate.steps > 1 && moved <= options.tolerance * n)) {
      break;
    }
  }
  return estimate;
}

}  // namespace mercer
