#include "mercer/solvers/glm/glm_family.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/text.h"

namespace mercer {

namespace {

// Null models of constant targets stay finite: e^−30.
constexpr double least_mean = 1e-13;

double x_log_x(double x) { return x > 0 ? x * std::log(x) : 0.0; }

double log_one_plus_exp(double f) { return f > 0 ? f + std::log1p(std::exp(-f)) : std::log1p(std::exp(f)); }

double log_sum_exp(std::span<const double> f) {
  const double top = *std::ranges::max_element(f);
  double sum = 0;
  for (const double value : f) {
    sum += std::exp(value - top);
  }
  return top + std::log(sum);
}

bool allowed_target(GlmFamily family, double y) {
  switch (family) {
    case GlmFamily::gaussian:
      return std::isfinite(y);
    case GlmFamily::poisson:
      return y >= 0 && std::isfinite(y);
    case GlmFamily::logistic:
    case GlmFamily::multinomial:
      return y >= 0 && y <= 1;
  }
  return false;
}

double log_partition(GlmFamily family, std::span<const double> f) {
  if (family == GlmFamily::multinomial) {
    return log_sum_exp(f);
  }
  double sum = 0;
  for (const double value : f) {
    sum += family == GlmFamily::gaussian   ? 0.5 * value * value
           : family == GlmFamily::logistic ? log_one_plus_exp(value)
                                           : std::exp(value);
  }
  return sum;
}

}  // namespace

double GlmTargets::total_weight() const {
  double sum = 0;
  for (Index i = 0; i < rows(); ++i) {
    sum += weight(i);
  }
  return sum;
}

void GlmTargets::validate() const {
  if (!weights.empty() && static_cast<Index>(weights.size()) != rows()) {
    throw InvalidArgument(std::to_string(weights.size()) + " weights for " + std::to_string(rows()) + " targets");
  }
  for (const double w : weights) {
    if (!(w > 0 && std::isfinite(w))) {
      reject_argument("a weight", w, "finite and positive");
    }
  }
  for (Index i = 0; i < rows(); ++i) {
    for (const double y : values.row(i)) {
      if (!allowed_target(family, y)) {
        throw DataError("the target of row " + std::to_string(i) + " (counted from 0) is " + shortest(y) +
                        (family == GlmFamily::gaussian  ? ": it must be a finite number"
                         : family == GlmFamily::poisson ? ": a rate needs targets that are not negative"
                                                        : ": a share must be between 0 and 1"));
      }
    }
  }
}

double glm_loss(const GlmTargets& targets, ConstMatrixView<double> linear) {
  double sum = 0;
  for (Index i = 0; i < targets.rows(); ++i) {
    const std::span<const double> f = linear.row(i);
    const std::span<const double> y = targets.values.row(i);
    double loss = 0;
    if (targets.family == GlmFamily::gaussian) {
      for (std::size_t o = 0; o < f.size(); ++o) {
        loss += 0.5 * (y[o] - f[o]) * (y[o] - f[o]);
      }
    } else {
      loss = log_partition(targets.family, f) + glm_conjugate(targets.family, y);
      for (std::size_t o = 0; o < f.size(); ++o) {
        loss -= y[o] != 0 ? y[o] * f[o] : 0.0;
      }
    }
    sum += targets.weight(i) * loss;
  }
  return sum;
}

void glm_means(GlmFamily family, MatrixView<double> linear) {
  for (Index i = 0; i < linear.rows(); ++i) {
    const std::span<double> f = linear.row(i);
    const double total = family == GlmFamily::multinomial ? log_sum_exp(f) : 0.0;
    for (double& value : f) {
      switch (family) {
        case GlmFamily::gaussian:
          break;
        case GlmFamily::logistic:
          value = value > 0 ? 1 / (1 + std::exp(-value)) : std::exp(value) / (1 + std::exp(value));
          break;
        case GlmFamily::poisson:
          value = std::exp(value);
          break;
        case GlmFamily::multinomial:
          value = std::exp(value - total);
          break;
      }
    }
  }
}

double glm_conjugate(GlmFamily family, std::span<const double> mean) {
  double sum = 0;
  for (const double m : mean) {
    switch (family) {
      case GlmFamily::gaussian:
        sum += 0.5 * m * m;
        break;
      case GlmFamily::logistic:
        sum += x_log_x(m) + x_log_x(1 - m);
        break;
      case GlmFamily::poisson:
        sum += x_log_x(m) - m;
        break;
      case GlmFamily::multinomial:
        sum += x_log_x(m);
        break;
    }
  }
  return sum;
}

double glm_curvature(GlmFamily family, std::span<const double> mean) {
  double largest = 0;
  for (const double m : mean) {
    switch (family) {
      case GlmFamily::gaussian:
        return 1;
      case GlmFamily::logistic:
        largest = std::max(largest, m * (1 - m));
        break;
      case GlmFamily::poisson:
        largest = std::max(largest, m);
        break;
      case GlmFamily::multinomial:
        // Gershgorin's bound of diag(m) − mmᵀ.
        largest = std::max(largest, 2 * m * (1 - m));
        break;
    }
  }
  return largest;
}

std::vector<double> glm_null_offsets(const GlmTargets& targets) {
  const double total = targets.total_weight();
  std::vector<double> means(targets.outputs(), 0.0);
  for (Index i = 0; i < targets.rows(); ++i) {
    for (std::size_t o = 0; o < means.size(); ++o) {
      means[o] += targets.weight(i) * targets.values(i, static_cast<Index>(o)) / total;
    }
  }
  double sum = 0;
  for (double& m : means) {
    if (targets.family == GlmFamily::logistic) {
      m = std::clamp(m, least_mean, 1 - least_mean);
      m = std::log(m) - std::log1p(-m);
    } else if (targets.family != GlmFamily::gaussian) {
      m = std::log(std::max(m, least_mean));
    }
    sum += m;
  }
  if (targets.family == GlmFamily::multinomial) {
    for (double& b : means) {
      b -= sum / static_cast<double>(means.size());
    }
  }
  return means;
}

}  // namespace mercer
