#include "mercer/solvers/version_space/hit_and_run.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/random.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/product.h"
#include "mercer/solvers/version_space/chain_diagnostics.h"

namespace mercer {

namespace {

constexpr Index least_draws = 4;
constexpr Index watched_constraints = 100;
constexpr Index watched_coordinates = 100;
constexpr Index steps_between_stops = 64;
// Ways of so many per constraint occur in narrow cones, and in corners that rounding does not resolve.
constexpr Index most_reflections = 200;
constexpr Index least_limit = 10000;
constexpr double shorter = 0.5;
constexpr double least_way = 1e-9;  // a walk of such steps does not pass for one that has mixed

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

void scale_to_length_1(std::span<double> v) {
  const double length = std::sqrt(dot(v, v));
  for (double& component : v) {
    component /= length;
  }
}

class Chain {
 public:
  /// `products`: of all pairs of normals, for reflections.
  Chain(ConstMatrixView<double> normals, ConstMatrixView<double> products, std::span<const double> start,
        RandomStream random)
      : normals_(normals),
        products_(products),
        random_(random),
        direction_(start.begin(), start.end()),
        tangent_(start.size()),
        slack_(normals.rows()),
        slope_(normals.rows()) {
    settle();
  }

  std::span<const double> direction() const { return direction_; }

  /// Rounding of many turns is taken out.
  void settle() {
    scale_to_length_1(direction_);
    multiply(direction_, slack_);
  }

  /// A step of walks that are still free to choose how far they go: after one that is given up, shorter ones.
  void travel_or_shorten() {
    if (!travel() && way_ > least_way) {
      way_ *= shorter;
    }
  }

  /// Along a great circle for about a quarter of it (or what is left of that), reflected by the planes. False: given up.
  bool travel() {
    draw_tangent();
    multiply(tangent_, slope_);
    const std::vector<double> from = direction_;
    double left = way_ * (0.5 + random_.uniform());
    for (Index limit = std::max(least_limit, most_reflections * normals_.rows()); limit > 0; --limit) {
      const std::size_t wall = first_wall();
      const double until = std::atan2(std::max(slack_[wall], 0.0), -slope_[wall]);
      if (until >= left) {
        turn(left);
        return true;
      }
      go_on(until);
      left -= until;
      reflect(wall);
    }
    direction_ = from;
    settle();
    return false;
  }

  void step() {
    draw_tangent();
    multiply(tangent_, slope_);
    double low = -std::numbers::pi;
    double high = std::numbers::pi;
    for (std::size_t i = 0; i < slack_.size(); ++i) {
      const double angle = std::atan2(slope_[i], std::max(slack_[i], 0.0));
      low = std::max(low, angle - std::numbers::pi / 2);
      high = std::min(high, angle + std::numbers::pi / 2);
    }
    // Rounding may put a point on the boundary just outside of it.
    low = std::min(low, 0.0);
    high = std::max(high, 0.0);
    turn(low + (high - low) * random_.uniform());
  }

 private:
  void draw_tangent() {
    double length = 0;
    do {
      fill_normal(random_, tangent_);
      const double along = dot(tangent_, direction_);
      for (std::size_t c = 0; c < tangent_.size(); ++c) {
        tangent_[c] -= along * direction_[c];
      }
      length = std::sqrt(dot(tangent_, tangent_));
    } while (length == 0);
    for (double& component : tangent_) {
      component /= length;
    }
  }

  void turn(double t) {
    const double cosine = std::cos(t);
    const double sine = std::sin(t);
    for (std::size_t c = 0; c < direction_.size(); ++c) {
      direction_[c] = cosine * direction_[c] + sine * tangent_[c];
    }
    for (std::size_t i = 0; i < slack_.size(); ++i) {
      slack_[i] = cosine * slack_[i] + sine * slope_[i];
    }
  }

  // p cos t + q sin t is 0 first where −q/p = cot t is largest.
  std::size_t first_wall() const {
    constexpr double least = 1e-300;
    std::size_t first = 0;
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < slack_.size(); ++i) {
      const double cotangent = -slope_[i] / std::max(slack_[i], least);
      if (cotangent > largest) {
        largest = cotangent;
        first = i;
      }
    }
    return first;
  }

  // Direction and tangent after a turn.
  void go_on(double t) {
    const double cosine = std::cos(t);
    const double sine = std::sin(t);
    rotate(cosine, sine, direction_, tangent_);
    rotate(cosine, sine, slack_, slope_);
  }
  static void rotate(double cosine, double sine, std::vector<double>& place, std::vector<double>& speed) {
    for (std::size_t i = 0; i < place.size(); ++i) {
      const double here = place[i];
      place[i] = cosine * here + sine * speed[i];
      speed[i] = cosine * speed[i] - sine * here;
    }
  }

  void reflect(std::size_t wall) {
    const auto i = static_cast<Index>(wall);
    const double twice = 2 * slope_[wall] / products_(i, i);
    const std::span<const double> normal = normals_.row(i);
    for (std::size_t c = 0; c < tangent_.size(); ++c) {
      tangent_[c] -= twice * normal[c];
    }
    const double speed = slope_[wall];
    const std::span<const double> products = products_.row(i);
    for (std::size_t k = 0; k < slope_.size(); ++k) {
      slope_[k] -= twice * products[k];
    }
    slack_[wall] = 0;
    slope_[wall] = -speed;
  }

  void multiply(std::span<const double> v, std::span<double> out) const {
    gemv(1.0, normals_, Transpose::no, v, 0.0, out);
  }

  ConstMatrixView<double> normals_;
  ConstMatrixView<double> products_;
  RandomStream random_;
  std::vector<double> direction_;
  std::vector<double> tangent_;
  std::vector<double> slack_;  // ⟨n_i, v⟩
  std::vector<double> slope_;  // ⟨n_i, u⟩
  double way_ = std::numbers::pi / 2;
};

void require_problem(ConstMatrixView<double> normals, std::span<const double> start, const HitAndRunOptions& options) {
  if (options.chains < 1 || options.draws < least_draws || options.draws % 2 != 0 || options.thin < 1 ||
      options.burn_in < 0) {
    throw InvalidArgument("hit-and-run: " + std::to_string(options.chains) + " chains of " +
                          std::to_string(options.draws) + " draws, " + std::to_string(options.thin) +
                          " steps apart: a chain needs 4 draws at least, an even number");
  }
  if (static_cast<Index>(start.size()) != normals.columns() || start.empty()) {
    throw InvalidArgument("hit-and-run: a start of " + std::to_string(start.size()) + " numbers for constraints of " +
                          std::to_string(normals.columns()));
  }
  if (!(dot(start, start) > 0)) {
    throw InvalidArgument("hit-and-run: a start of length 0 is no direction");
  }
  for (Index i = 0; i < normals.rows(); ++i) {
    if (!(dot(normals.row(i), start) >= 0)) {
      throw InvalidArgument("hit-and-run: the start violates constraint " + std::to_string(i) + " (counted from 0)");
    }
  }
}

// One chain's rows of the draws. How many steps between them were given up.
Index walk(Chain chain, const HitAndRunOptions& options, const Run& run, MatrixView<double> draws) {
  Index steps = 0;
  Index given_up = 0;
  const bool reflects = options.walk == ConeWalk::reflect;
  const auto walk_for = [&](Index count, bool may_shorten) {
    for (Index s = 0; s < count; ++s) {
      if (reflects || steps++ % steps_between_stops == 0) {
        run.check_stop();
        chain.settle();
      }
      if (!reflects) {
        chain.step();
      } else if (may_shorten) {
        chain.travel_or_shorten();
      } else if (!chain.travel()) {
        ++given_up;
      }
    }
  };
  // The sphere of one dimension is two points, and the start is the one that is allowed.
  const bool moves = draws.columns() > 1;
  walk_for(moves ? options.burn_in : 0, true);
  for (Index k = 0; k < draws.rows(); ++k) {
    walk_for(moves ? options.thin : 0, false);
    std::ranges::copy(chain.direction(), draws.row_data(k));
    scale_to_length_1(draws.row(k));
  }
  return given_up;
}

// Rows of 0 constrain nothing, and reflect nothing.
Matrix<double> planes_of(ConstMatrixView<double> normals) {
  std::vector<Index> kept;
  for (Index i = 0; i < normals.rows(); ++i) {
    if (dot(normals.row(i), normals.row(i)) > 0) {
      kept.push_back(i);
    }
  }
  Matrix<double> planes(static_cast<Index>(kept.size()), normals.columns());
  for (std::size_t k = 0; k < kept.size(); ++k) {
    std::ranges::copy(normals.row(kept[k]), planes.view().row_data(static_cast<Index>(k)));
  }
  return planes;
}

Matrix<double> products_of(const Matrix<double>& planes, ConeWalk walk, const Run& run) {
  if (walk != ConeWalk::reflect) {
    return {};
  }
  Matrix<double> products(planes.rows(), planes.rows());
  parallel_syrk<double>(1.0, planes.view(), Transpose::no, 0.0, products.view(), run);
  mirror_lower<double>(products.view(), run);
  return products;
}

// Distances from constraints alone would not do: in a narrow cone they run through all of their values while the walk
// is hardly on its way along the cone, which coordinates see.
void diagnose(ConstMatrixView<double> normals, const HitAndRunOptions& options, const Run& run, ConeDraws& result) {
  const Index constraints = std::min(normals.rows(), watched_constraints);
  const Index coordinates = std::min(normals.columns(), watched_coordinates);
  std::vector<ChainDiagnostics> found(constraints + coordinates);
  parallel_for(run, constraints + coordinates, [&](Index w) {
    std::vector<std::vector<double>> chains(options.chains);
    for (Index k = 0; k < result.directions.rows(); ++k) {
      const std::span<const double> direction = result.directions.view().row(k);
      chains[k / options.draws].push_back(w < constraints
                                              ? dot(normals.row(w * normals.rows() / constraints), direction)
                                              : direction[(w - constraints) * normals.columns() / coordinates]);
    }
    found[w] = diagnose_chains(chains);
  });
  result.effective_size = static_cast<double>(result.directions.rows());
  for (const ChainDiagnostics& one : found) {
    result.split_r_hat = std::max(result.split_r_hat, one.split_r_hat);
    result.effective_size = std::min(result.effective_size, one.effective_size);
  }
}

}  // namespace

ConeDraws draw_from_cone(ConstMatrixView<double> normals, std::span<const double> start,
                         const HitAndRunOptions& options, const Run& run) {
  require_problem(normals, start, options);
  ConeDraws result;
  result.directions = Matrix<double>(options.chains * options.draws, normals.columns());
  const Matrix<double> planes = planes_of(normals);
  if (planes.rows() == 0) {
    throw InvalidArgument("hit-and-run: no constraint but rows of 0");
  }
  const Matrix<double> products = products_of(planes, options.walk, run);
  std::vector<Index> given_up(options.chains);
  parallel_for(run, options.chains, [&](Index c) {
    const RandomStream random(run.seed(), static_cast<std::uint64_t>(options.stream + c));
    given_up[c] = walk(Chain(planes.view(), products.view(), start, random), options, run,
                       result.directions.view().block(c * options.draws, 0, options.draws, normals.columns()));
  });
  result.given_up = std::accumulate(given_up.begin(), given_up.end(), Index{0});
  result.mean.assign(start.size(), 0.0);
  for (Index k = 0; k < result.directions.rows(); ++k) {
    for (std::size_t c = 0; c < result.mean.size(); ++c) {
      result.mean[c] += result.directions(k, static_cast<Index>(c)) / static_cast<double>(result.directions.rows());
    }
  }
  diagnose(normals, options, run, result);
  return result;
}

}  // namespace mercer
