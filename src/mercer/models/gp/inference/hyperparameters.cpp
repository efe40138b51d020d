#include "mercer/models/gp/inference/hyperparameters.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/random.h"
#include "mercer/base/text.h"
#include "mercer/linalg/symmetric_eigen.h"
#include "mercer/solvers/smooth/dense_quasi_newton.h"

namespace mercer {

namespace {

constexpr double decades = 1e4;  // data-driven bounds: the start divided and multiplied by this
// Length scales may grow further: under a large amplitude even a column with ℓ = 1e4 has some (linear) effect.
constexpr double long_decades = 1e6;
constexpr double restart_reach = 30.0;    // further starts lie within this factor of the first
constexpr double same_end = 1e-4;         // starts whose values differ by less, relatively, ended in one place
constexpr double at_bound = 1e-3;         // distance from a bound, as a part of the range, that counts as being there
constexpr double difference_step = 1e-3;  // of the coordinates, for curvatures
constexpr double least_curvature = 0.1;   // of the model of the evidence, in units of ln p
constexpr std::uint64_t restart_stream = 0x7265737461727473;

// Where the search moves: ln θ, θ or −½ ln(1 + (fading_from/θ)²).
double coordinate(const HyperParameter& parameter, double value) {
  if (parameter.fading_from > 0) {
    const double part = parameter.fading_from / value;
    return -0.5 * std::log1p(part * part);
  }
  return parameter.logarithmic ? std::log(value) : value;
}

double value_at(const HyperParameter& parameter, double x) {
  if (parameter.fading_from > 0) {
    return parameter.fading_from / std::sqrt(std::max(std::expm1(-2 * x), std::numeric_limits<double>::min()));
  }
  return parameter.logarithmic ? std::exp(x) : x;
}

// dθ/dx.
double value_slope(const HyperParameter& parameter, double value) {
  if (parameter.fading_from > 0) {
    const double part = value / parameter.fading_from;
    return (1 + part * part) * value;
  }
  return parameter.logarithmic ? value : 1.0;
}

// The search over the parameters that are not fixed.
class Search {
 public:
  Search(const EvidenceFunction& evidence, std::span<const HyperParameter> parameters)
      : evidence_(evidence), parameters_(parameters) {
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      all_.push_back(parameters[p].value);
      if (!parameters[p].fixed) {
        free_.push_back(p);
        lower_.push_back(coordinate(parameters[p], parameters[p].lower));
        upper_.push_back(coordinate(parameters[p], parameters[p].upper));
      }
    }
  }

  std::vector<double> first_start() const {
    std::vector<double> x;
    for (const std::size_t p : free_) {
      x.push_back(coordinate(parameters_[p], parameters_[p].value));
    }
    return x;
  }

  std::vector<double> random_start(std::uint64_t seed, Index number) const {
    RandomStream random(seed, restart_stream + static_cast<std::uint64_t>(number));
    std::vector<double> x = first_start();
    for (std::size_t f = 0; f < x.size(); ++f) {
      const double reach = parameters_[free_[f]].logarithmic ? std::log(restart_reach) : (upper_[f] - lower_[f]) / 4;
      x[f] = std::clamp(x[f] + (2 * random.uniform() - 1) * reach, lower_[f], upper_[f]);
    }
    return x;
  }

  QuasiNewtonResult minimize(std::span<const double> start, const EvidenceSearchOptions& options,
                             const Run& run) const {
    const SmoothFunction objective = [&](std::span<const double> x, std::span<double> gradient) {
      return loss(x, gradient, run);
    };
    if (options.steps == EvidenceSteps::long_first) {
      return minimize_in_box(objective, start, lower_, upper_,
                             {.max_evaluations = options.max_evaluations, .tolerance = options.tolerance}, run);
    }
    return minimize_few_in_box(
        objective, start, lower_, upper_,
        {.max_evaluations = options.max_evaluations, .tolerance = options.tolerance, .curvature = options.curvature},
        run);
  }

  std::vector<double> values(std::span<const double> x) const {
    std::vector<double> result = all_;
    for (std::size_t f = 0; f < free_.size(); ++f) {
      const HyperParameter& parameter = parameters_[free_[f]];
      result[free_[f]] = std::clamp(value_at(parameter, x[f]), parameter.lower, parameter.upper);
    }
    return result;
  }

  std::size_t free_count() const { return free_.size(); }
  double upper(std::size_t f) const { return upper_[f]; }

  double loss(std::span<const double> x, std::span<double> gradient, const Run& run) const {
    const std::vector<double> theta = values(x);
    const EvidenceValue evidence = evidence_(theta, run);
    const double value = evidence.value + log_prior(parameters_, theta);
    for (std::size_t f = 0; f < free_.size(); ++f) {
      const HyperParameter& parameter = parameters_[free_[f]];
      double slope = evidence.gradient.empty() ? 0.0 : evidence.gradient[free_[f]];
      if (parameter.prior) {
        slope += parameter.prior->slope(theta[free_[f]]);
      }
      gradient[f] = -slope * value_slope(parameter, theta[free_[f]]);
    }
    return std::isfinite(value) ? -value : std::numeric_limits<double>::infinity();
  }

 private:
  const EvidenceFunction& evidence_;
  std::span<const HyperParameter> parameters_;
  std::vector<double> all_;
  std::vector<std::size_t> free_;
  std::vector<double> lower_;
  std::vector<double> upper_;
};

bool contains(const std::string& name, std::string_view part) { return name.find(part) != std::string::npos; }

std::string meaning_at_bound(const std::string& name, bool upper) {
  if (contains(name, "lengthscale")) {
    return upper ? "the target hardly depends on such a column, or depends on it linearly: it may be left out"
                 : "neighbours look unrelated along it: rougher kernels (matern), more data, or more noise may fit "
                   "better";
  }
  if (contains(name, "gamma")) {
    return upper ? "neighbours look unrelated: rougher kernels (matern), more data, or more noise may fit better"
                 : "the target hardly depends on those columns, or depends on them linearly";
  }
  if (contains(name, "noise")) {
    return upper ? "the model explains nothing: the kernel or the columns may be wrong"
                 : "the data look free of noise; state a known noise, or a larger lower bound, if they are not";
  }
  return upper ? "the data ask for a larger value" : "the data ask for a smaller value, so that this part vanishes";
}

// "lengthscale" names "lengthscale", "0.lengthscale" and "1.lengthscale[3]".
bool is_named(const std::string& parameter, std::string_view name) {
  std::string_view plain = parameter;
  if (plain == name) {
    return true;
  }
  const auto ends_with_part = [&](std::string_view text) {
    return text == name ||
           (text.size() > name.size() && text.ends_with(name) && text[text.size() - name.size() - 1] == '.');
  };
  return ends_with_part(plain) || ends_with_part(plain.substr(0, plain.find('[')));
}

// Factors and offsets may be negative in the language, but a covariance function is positive with those of one sign
// only: where they are positive they stay so.
bool keeps_its_sign(const std::string& path) {
  return is_named(path, "scale") || is_named(path, "coef0") || is_named(path, "coefficients");
}

}  // namespace

std::vector<HyperParameter> kernel_hyperparameters(const Kernel& kernel) {
  std::vector<HyperParameter> parameters;
  for (const ScaleParameter& scale : kernel.scale_parameters()) {
    HyperParameter parameter{.name = scale.path, .value = scale.value};
    parameter.logarithmic = scale.constraint != Constraint::any || keeps_its_sign(scale.path);
    parameter.fixed = scale.fixed || !std::isfinite(scale.value) || (parameter.logarithmic && !(scale.value > 0));
    if (scale.bounds) {
      parameter.lower = scale.bounds->lower;
      parameter.upper = scale.bounds->upper;
      if (parameter.logarithmic && !(parameter.lower > 0)) {
        parameter.lower = std::min(parameter.upper, parameter.value) / decades;
      }
    } else if (parameter.logarithmic) {
      parameter.lower = scale.value / (is_named(scale.path, "gamma") ? long_decades * long_decades : decades);
      parameter.upper = scale.value * (is_named(scale.path, "lengthscale") ? long_decades : decades);
    } else {
      const double reach = 100 * std::max(1.0, std::abs(scale.value));
      parameter.lower = scale.value - reach;
      parameter.upper = scale.value + reach;
    }
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

void set_priors(const HyperPriors& priors, std::span<HyperParameter> parameters) {
  for (const NamedPrior& named : priors.all()) {
    bool found = false;
    std::vector<std::string> names;
    for (HyperParameter& parameter : parameters) {
      names.push_back(parameter.name);
      if (is_named(parameter.name, named.name)) {
        if (!parameter.logarithmic) {
          throw InvalidArgument("priors: " + parameter.name + " may be negative; priors are for positive parameters");
        }
        parameter.prior = named.prior;
        found = true;
      }
    }
    if (!found) {
      throw InvalidArgument("priors: there is no unknown '" + named.name + "'; there are " + join(names, ", "));
    }
  }
}

std::vector<Note> bound_notes(std::span<const HyperParameter> parameters, std::span<const double> values) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;  // what it means, and who is meant
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    HyperParameter parameter = parameters[p];
    if (parameter.fixed) {
      continue;
    }
    parameter.fading_from = 0;  // distances are those of the usual scale
    const double lower = coordinate(parameter, parameter.lower);
    const double upper = coordinate(parameter, parameter.upper);
    const double x = coordinate(parameter, values[p]);
    const bool low = x - lower <= at_bound * (upper - lower);
    const bool high = upper - x <= at_bound * (upper - lower);
    if (!low && !high) {
      continue;
    }
    const std::string meaning = meaning_at_bound(parameter.name, high);
    const std::string name = parameter.name + " ended at its " + (high ? "upper" : "lower") + " bound " +
                             shortest(high ? parameter.upper : parameter.lower);
    const auto group = std::ranges::find(groups, meaning, &std::pair<std::string, std::vector<std::string>>::first);
    if (group == groups.end()) {
      groups.push_back({meaning, {name}});
    } else {
      group->second.push_back(parameter.name);
    }
  }
  std::vector<Note> notes;
  for (const auto& [meaning, names] : groups) {
    const std::vector<std::string> others(names.begin() + 1, names.end());
    notes.emplace_back(names.front() + (others.empty() ? "" : ", as did " + join(others, ", ")) + ": " + meaning,
                       NoteKind::limit_reached);
  }
  return notes;
}

double log_prior(std::span<const HyperParameter> parameters, std::span<const double> values) {
  double sum = 0;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    if (!parameters[p].fixed && parameters[p].prior) {
      sum += parameters[p].prior->log_density(values[p]);
    }
  }
  return sum;
}

EvidenceSearchResult maximize_evidence(const EvidenceFunction& evidence, std::span<const HyperParameter> parameters,
                                       const EvidenceSearchOptions& options, const Run& run) {
  const Search search(evidence, parameters);
  EvidenceSearchResult result;
  const Index starts = search.free_count() == 0 ? 1 : 1 + options.restarts;
  std::vector<QuasiNewtonResult> ends(starts);
  std::string reason;
  const auto from_start = [&](Index s) {
    try {
      ends[s] = search.minimize(s == 0 ? search.first_start() : search.random_start(run.seed(), s), options, run);
    } catch (const NumericalError& error) {
      // A start without a value is one start less.
      if (s == 0) {
        reason = error.what();
      }
      ends[s].value = std::numeric_limits<double>::infinity();
    }
  };
  if (starts == 1) {
    from_start(0);  // then the threads work inside one evaluation
  } else {
    parallel_for(run, starts, "hyper-parameters", from_start);
  }
  std::ranges::stable_sort(ends, {}, &QuasiNewtonResult::value);
  if (!std::isfinite(ends.front().value)) {
    throw NumericalError("the search for hyper-parameters has no start with a value, out of " + std::to_string(starts) +
                         " (" + reason + "): state others in the kernel and for the noise, or more restarts");
  }
  double last_value = 0;
  for (const QuasiNewtonResult& end : ends) {
    result.evaluations += end.evaluations;
    const bool another = result.ends.empty() || end.value > last_value + same_end * (1 + std::abs(end.value));
    if (std::isfinite(end.value) && another) {
      last_value = end.value;
      result.ends.push_back(search.values(end.x));
    }
  }
  // Where rounding hides any further rise, the top is reached.
  result.status = ends.front().status == SolveStatus::stalled ? SolveStatus::converged : ends.front().status;
  result.values = result.ends.front();
  result.value = -ends.front().value;
  result.notes = bound_notes(parameters, result.values);
  return result;
}

Matrix<double> evidence_curvature(const EvidenceFunction& evidence, std::span<const HyperParameter> parameters,
                                  const Run& run) {
  const Search search(evidence, parameters);
  const std::vector<double> x = search.first_start();
  const auto n = static_cast<Index>(x.size());
  auto gradients = Matrix<double>::filled(n + 1, n, 0.0);  // the last row: at x itself
  std::vector<double> steps(x.size());
  parallel_for(run, n + 1, "hyper-parameters", [&](Index row) {
    std::vector<double> at = x;
    if (row < n) {
      const auto f = static_cast<std::size_t>(row);
      at[f] += x[f] + difference_step <= search.upper(f) ? difference_step : -difference_step;
      steps[f] = at[f] - x[f];
    }
    const std::span<double> gradient(gradients.view().row_data(row), x.size());
    if (!std::isfinite(search.loss(at, gradient, run))) {
      std::ranges::fill(gradient, std::numeric_limits<double>::quiet_NaN());
    }
  });
  Matrix<double> curvature(n, n);
  const auto second = [&](Index i, Index j) { return (gradients(i, j) - gradients(n, j)) / steps[i]; };
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const double value = 0.5 * (second(i, j) + second(j, i));
      curvature(i, j) = std::isfinite(value) ? value : 0.0;
    }
  }
  if (n == 0) {
    return curvature;
  }
  const SymmetricEigen<double> eigen = symmetric_eigen(curvature.view(), run);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      double sum = 0;
      for (Index k = 0; k < n; ++k) {
        const double value = std::max(std::abs(eigen.values[k]), least_curvature);
        sum += value * eigen.vectors(i, k) * eigen.vectors(j, k);
      }
      curvature(i, j) = sum;
    }
  }
  return curvature;
}

}  // namespace mercer
