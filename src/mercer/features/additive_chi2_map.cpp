#include "mercer/features/additive_chi2_map.h"

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/features/linear_projection.h"
#include "mercer/kernels/algebra.h"
#include "mercer/kernels/coordinate/chi2.h"
#include "mercer/kernels/coordinate/intersection.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

constexpr Index histogram_rows = 64;

double homogeneous_spectrum(HomogeneousKernel kernel, double lambda) {
  return kernel == HomogeneousKernel::additive_chi2 ? 1 / std::cosh(std::numbers::pi * lambda)
                                                    : 2 / (std::numbers::pi * (1 + 4 * lambda * lambda));
}

// Periods at which the error of sampling and of cutting the spectrum off balance, fitted in the reference.
double default_interval(HomogeneousKernel kernel, Index steps) {
  const auto n = static_cast<double>(steps - 1);
  if (kernel == HomogeneousKernel::intersection) {
    return 2 * std::numbers::pi / (8.80 * std::sqrt(n + 4.44) - 12.6);
  }
  constexpr std::array<double, 3> few = {0.8, 0.5, 0.4};
  return steps <= 3 ? few[steps - 1] : 2 * std::numbers::pi / (5.86 * std::sqrt(n) + 3.65);
}

struct HomogeneousForm {
  HomogeneousKernel kernel = HomogeneousKernel::additive_chi2;
  double amplitude = 1;
};

std::optional<HomogeneousForm> homogeneous_form(const Kernel& kernel) {
  Kernel histogram = kernel;
  HomogeneousForm form;
  while (const auto scale = as_scale(histogram)) {
    form.amplitude *= scale->factor.value_or(1);
    histogram = scale->kernel;
  }
  const KernelEntry* const entry = &histogram.node().entry();
  if (entry == &intersection_entry()) {
    form.kernel = HomogeneousKernel::intersection;
  } else if (entry != &additive_chi2_entry()) {
    return std::nullopt;
  }
  return form.amplitude >= 0 ? std::optional<HomogeneousForm>(form) : std::nullopt;
}

}  // namespace

AdditiveChi2Map::AdditiveChi2Map(HomogeneousKernel kernel, double amplitude, Index inputs, Index steps, double interval)
    : kernel_(kernel), amplitude_(amplitude), inputs_(inputs), steps_(steps), interval_(interval) {
  if (steps < 1) {
    reject_argument("steps", static_cast<double>(steps), "1 or more");
  }
  if (!(interval > 0) || !std::isfinite(interval)) {
    reject_argument("interval", interval, "positive and finite");
  }
}

std::shared_ptr<const AdditiveChi2Map> AdditiveChi2Map::from_parts(const MapParts& parts) {
  const Matrix<double> about = parts.finite("homogeneous", 1, 5);
  const double kernel = about(0, 0);
  if ((kernel != 0 && kernel != 1) || !(about(0, 1) >= 0) || !(about(0, 2) >= 0 && about(0, 2) < 1e9) ||
      !(about(0, 3) >= 1 && about(0, 3) < 1e6) || !(about(0, 4) > 0)) {
    throw DataError("a stored chi-squared map with numbers that cannot be");
  }
  return std::make_shared<const AdditiveChi2Map>(
      kernel == 0 ? HomogeneousKernel::additive_chi2 : HomogeneousKernel::intersection, about(0, 1),
      static_cast<Index>(about(0, 2)), static_cast<Index>(about(0, 3)), about(0, 4));
}

template <class T>
void AdditiveChi2Map::fill(const Samples& samples, MatrixView<T> out, const Run& run) const {
  const Samples numeric = numeric_columns(samples, inputs_, "chi2map");
  std::vector<double> factors;
  for (Index m = 0; m < steps_; ++m) {
    const double share = (m == 0 ? 1.0 : 2.0) * interval_ * amplitude_;
    factors.push_back(std::sqrt(share * homogeneous_spectrum(kernel_, static_cast<double>(m) * interval_)));
  }
  parallel_for(run, block_count(numeric.size(), histogram_rows), [&](Index task) {
    const IndexRange range = block_range(numeric.size(), histogram_rows, task);
    const Matrix<double> rows = dense_rows<double>(numeric, range);
    for (Index i = 0; i < range.size(); ++i) {
      T* const target = out.row_data(range.begin + i);
      for (Index j = 0; j < inputs_; ++j) {
        const double x = std::abs(rows(i, j));
        const double root = std::copysign(std::sqrt(x), rows(i, j));
        const double angle = x > 0 ? interval_ * std::log(x) : 0.0;
        target[j] = static_cast<T>(factors[0] * root);
        for (Index m = 1; m < steps_; ++m) {
          const double size = factors[m] * root;
          target[(2 * m - 1) * inputs_ + j] = static_cast<T>(size * std::cos(static_cast<double>(m) * angle));
          target[2 * m * inputs_ + j] = static_cast<T>(size * std::sin(static_cast<double>(m) * angle));
        }
      }
    }
  });
}

void AdditiveChi2Map::transform(const Samples& samples, MatrixView<double> out, const Run& run) const {
  fill(samples, out, run);
}
void AdditiveChi2Map::transform(const Samples& samples, MatrixView<float> out, const Run& run) const {
  fill(samples, out, run);
}

MapParts AdditiveChi2Map::parts() const {
  MapParts parts;
  Matrix<double> about(1, 5);
  about(0, 0) = kernel_ == HomogeneousKernel::additive_chi2 ? 0 : 1;
  about(0, 1) = amplitude_;
  about(0, 2) = static_cast<double>(inputs_);
  about(0, 3) = static_cast<double>(steps_);
  about(0, 4) = interval_;
  parts.arrays.emplace("homogeneous", std::move(about));
  return parts;
}

std::shared_ptr<const AdditiveChi2Map> additive_chi2_map(const Kernel& kernel, const Samples& samples, Index steps,
                                                         double interval) {
  const std::optional<HomogeneousForm> form = homogeneous_form(kernel);
  if (!form) {
    throw InvalidArgument("chi2map: the kernel " + kernel.spec() +
                          " is neither additive_chi2() nor intersection() on all columns, the two that it knows; "
                          "nystroem takes any positive definite kernel");
  }
  if (steps < 1) {
    reject_argument("steps", static_cast<double>(steps), "1 or more");
  }
  const Index inputs = numeric_columns(samples, -1, "chi2map").columns();
  return std::make_shared<const AdditiveChi2Map>(form->kernel, form->amplitude, inputs, steps,
                                                 interval == 0 ? default_interval(form->kernel, steps) : interval);
}

bool is_homogeneous(const Kernel& kernel) { return homogeneous_form(kernel).has_value(); }

}  // namespace mercer
