// Draws from cones against arcs in closed form and rejection sampling; both walks.
#include "mercer/solvers/version_space/hit_and_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numbers>
#include <stop_token>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/solvers/version_space/chain_diagnostics.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

Matrix<double> rows_of(const std::vector<std::vector<double>>& rows) {
  Matrix<double> result(static_cast<Index>(rows.size()), static_cast<Index>(rows.front().size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy(rows[i].begin(), rows[i].end(), result.view().row_data(static_cast<Index>(i)));
  }
  return result;
}

HitAndRunOptions long_walk(ConeWalk walk, Index draws) {
  return {.walk = walk, .draws = draws, .thin = walk == ConeWalk::reflect ? 1 : 10, .burn_in = 200};
}

constexpr ConeWalk walks[] = {ConeWalk::reflect, ConeWalk::hit_and_run};

TEST(HitAndRun, AnglesAreUniformOnAnArc) {
  for (const ConeWalk walk : walks) {
    for (const double length : {0.01, 1.0, 2.8}) {
      // Directions at angles in [0.3, 0.3 + length].
      const double from = 0.3;
      const double to = from + length;
      const Matrix<double> normals =
          rows_of({{-std::sin(from), std::cos(from)}, {std::sin(to), -std::cos(to)}, {0, 0}});
      const std::vector<double> start = {std::cos(from + 0.9 * length), std::sin(from + 0.9 * length)};
      const ConeDraws found = draw_from_cone(normals.view(), start, long_walk(walk, 5000), {});
      std::array<double, 10> shares{};
      for (Index k = 0; k < 20000; ++k) {
        const double angle = std::atan2(found.directions(k, 1), found.directions(k, 0));
        ASSERT_GE(angle, from - 1e-9);
        ASSERT_LE(angle, to + 1e-9);
        const auto cell = static_cast<std::size_t>(std::clamp((angle - from) / length * 10, 0.0, 9.0));
        shares[cell] += 1.0 / 20000;
      }
      EXPECT_LT(found.split_r_hat, 1.02) << length;
      for (const double share : shares) {
        EXPECT_NEAR(share, 0.1, 5 * std::sqrt(0.09 / found.effective_size)) << length;
      }
      EXPECT_EQ(found.given_up, 0);
    }
  }
}

TEST(HitAndRun, MeansAreThoseOfRejectionSampling) {
  RandomStream random(5, 1);
  for (int problem = 0; problem < 6; ++problem) {
    const Index d = 3 + problem % 3;
    std::vector<double> inside(d);
    fill_normal(random, inside);
    Matrix<double> normals(4, d);
    for (Index i = 0; i < 4; ++i) {
      fill_normal(random, normals.view().row(i));
      double side = 0;
      for (Index c = 0; c < d; ++c) {
        side += normals(i, c) * inside[c];
      }
      for (Index c = 0; c < d; ++c) {
        normals(i, c) *= side < 0 ? -1 : 1;
      }
    }
    std::vector<double> mean(d, 0.0);
    double accepted = 0;
    std::vector<double> w(d);
    for (int k = 0; k < 400000; ++k) {
      fill_normal(random, w);
      double squared = 0;
      bool holds = true;
      for (Index i = 0; i < 4 && holds; ++i) {
        double side = 0;
        for (Index c = 0; c < d; ++c) {
          side += normals(i, c) * w[c];
        }
        holds = side >= 0;
      }
      for (const double component : w) {
        squared += component * component;
      }
      for (Index c = 0; holds && c < d; ++c) {
        mean[c] += w[c] / std::sqrt(squared);
      }
      accepted += holds ? 1 : 0;
    }
    ASSERT_GT(accepted, 500);
    for (const ConeWalk walk : walks) {
      const ConeDraws found = draw_from_cone(normals.view(), inside, long_walk(walk, 5000), {});
      for (Index c = 0; c < d; ++c) {
        EXPECT_NEAR(found.mean[c], mean[c] / accepted, 5 * std::sqrt(0.5 / found.effective_size + 0.5 / accepted))
            << "problem " << problem;
      }
    }
  }
}

TEST(HitAndRun, ASphereOfOneDimensionIsOnePoint) {
  const Matrix<double> normals = rows_of({{-2.0}, {-0.5}});
  for (const ConeWalk walk : walks) {
    const ConeDraws found = draw_from_cone(normals.view(), std::vector<double>{-3.0}, long_walk(walk, 4), {});
    EXPECT_EQ(found.mean[0], -1);
    EXPECT_EQ(found.split_r_hat, 1);
    EXPECT_EQ(found.effective_size, 16);
  }
}

TEST(HitAndRun, AnyNumberOfThreadsAndAnotherSeed) {
  RandomStream random(6, 1);
  Matrix<double> normals(30, 8);
  for (Index i = 0; i < 30; ++i) {
    fill_normal(random, normals.view().row(i));
    normals(i, 0) = std::abs(normals(i, 0)) + 1;
  }
  std::vector<double> start(8, 0.0);
  start[0] = 1;
  for (const ConeWalk walk : walks) {
    const auto mean = [&](int threads, std::uint64_t seed) {
      return draw_from_cone(normals.view(), start, long_walk(walk, 100),
                            mercer::Run{{.threads = threads, .seed = seed}})
          .mean;
    };
    EXPECT_EQ(mean(1, 3), mean(3, 3));
    EXPECT_NE(mean(1, 3), mean(1, 4));
  }
}

TEST(HitAndRun, RefusesWhatIsNoProblem) {
  const Matrix<double> normals = rows_of({{1, 0}, {0, 1}});
  const std::vector<double> inside = {1, 1};
  EXPECT_ERROR(draw_from_cone(normals.view(), std::vector<double>{1, -1}, {}, {}), InvalidArgument,
               "the start violates constraint 1");
  EXPECT_ERROR(draw_from_cone(normals.view(), std::vector<double>{1, 1, 1}, {}, {}), InvalidArgument, "3 numbers");
  EXPECT_ERROR(draw_from_cone(normals.view(), std::vector<double>{0, 0}, {}, {}), InvalidArgument, "length 0");
  EXPECT_ERROR(draw_from_cone(normals.view(), inside, {.draws = 5}, {}), InvalidArgument, "an even number");
  EXPECT_ERROR(draw_from_cone(rows_of({{0, 0}}).view(), inside, {}, {}), InvalidArgument, "rows of 0");
  std::stop_source source;
  source.request_stop();
  EXPECT_ERROR(draw_from_cone(normals.view(), inside, {}, mercer::Run{{.stop = source.get_token()}}), Stopped, "");
}

std::vector<std::vector<double>> correlated_chains(double rho, double shift, std::uint64_t seed) {
  std::vector<std::vector<double>> chains(4, std::vector<double>(5000));
  for (std::size_t c = 0; c < 4; ++c) {
    RandomStream random(seed, c);
    double value = random.normal();
    for (double& draw : chains[c]) {
      value = rho * value + std::sqrt(1 - rho * rho) * random.normal();
      draw = value + (c == 0 ? shift : 0);
    }
  }
  return chains;
}

TEST(ChainDiagnostics, KnowIndependentCorrelatedAndDifferentChains) {
  const ChainDiagnostics independent = diagnose_chains(correlated_chains(0, 0, 1));
  EXPECT_NEAR(independent.split_r_hat, 1, 0.002);
  EXPECT_GT(independent.effective_size, 18000);
  for (const double rho : {0.5, 0.9}) {
    const ChainDiagnostics found = diagnose_chains(correlated_chains(rho, 0, 2));
    EXPECT_NEAR(found.effective_size / (20000 * (1 - rho) / (1 + rho)), 1, 0.25) << rho;
  }
  EXPECT_GT(diagnose_chains(correlated_chains(0, 2, 3)).split_r_hat, 1.2);
  const ChainDiagnostics still = diagnose_chains({{2, 2, 2, 2}, {2, 2, 2, 2}});
  EXPECT_EQ(still.split_r_hat, 1);
  EXPECT_EQ(still.effective_size, 8);
  EXPECT_TRUE(std::isinf(diagnose_chains({{1, 1, 1, 1}, {2, 2, 2, 2}}).split_r_hat));
}

}  // namespace
}  // namespace mercer
