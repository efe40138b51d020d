// What a Gaussian process does where the memory does not allow what was asked for. Numbers of rows only: nothing is fitted
// but in the last test.
#include "mercer/models/gp/gp_method.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "models/random_problem.h"

namespace mercer {
namespace {

using testing::random_samples;

GpOptions chosen(const GpOptions& options, Index rows) {
  std::vector<std::string> notes;
  return chosen_gp_method(options, rows, 1, notes);
}

std::string refusal(const GpOptions& options, Index rows) {
  try {
    chosen(options, rows);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(GpMethod, AutomaticTakesWhatTheMemoryHolds) {
  const GpOptions options{.memory_mb = 16000};
  EXPECT_EQ(chosen(options, 40000).method, GpMethod::exact);
  EXPECT_EQ(chosen(options, 50000).method, GpMethod::float_factor);
  EXPECT_EQ(chosen(options, 100000).method, GpMethod::conjugate_gradients);
  EXPECT_EQ(chosen(options, 1000000).method, GpMethod::variational);
  EXPECT_EQ(chosen(options, 1000000).inducing, 500);
  std::vector<std::string> notes;
  const GpOptions little = chosen_gp_method({.memory_mb = 4000}, 1000000, 1, notes);
  EXPECT_EQ(little.method, GpMethod::variational);
  EXPECT_LT(little.inducing, 500);
  EXPECT_EQ(notes.size(), 1U);
  // Whatever is chosen fits.
  for (const double memory : {200.0, 1000.0, 4000.0, 16000.0}) {
    for (const Index rows : {1000, 10000, 30000, 100000, 300000, 1000000}) {
      try {
        const GpOptions used = chosen({.memory_mb = memory}, rows);
        EXPECT_LE(gp_memory_bytes(used, rows, 1), memory * 1048576);
      } catch (const InvalidArgument&) {
        EXPECT_GE(static_cast<double>(rows), 300 * memory);
      }
    }
  }
}

TEST(GpMethod, RefusesWithWhatWouldFit) {
  for (const GpMethod method :
       {GpMethod::exact, GpMethod::float_factor, GpMethod::conjugate_gradients, GpMethod::variational, GpMethod::fitc,
        GpMethod::subset_of_regressors, GpMethod::greedy}) {
    const std::string text = refusal({.method = method, .inducing = 2000, .memory_mb = 8000}, 1000000);
    EXPECT_NE(text.find("MB"), std::string::npos) << word_of(method);
    EXPECT_NE(text.find("method = vfe with inducing = "), std::string::npos) << word_of(method);
  }
  EXPECT_NE(refusal({.memory_mb = 100}, 1000000).find("with inducing = 100"), std::string::npos);
  const std::string text = refusal({.method = GpMethod::exact, .memory_mb = 2000}, 100000);
  // What it names is accepted.
  const auto number_after = [&](const std::string& words) {
    const auto at = text.find(words);
    return at == std::string::npos ? Index{0} : static_cast<Index>(std::stol(text.substr(at + words.size())));
  };
  const Index points = number_after("inducing = ");
  const Index rank = number_after("rank = ");
  ASSERT_GT(points, 0);
  ASSERT_GT(rank, 0);
  EXPECT_EQ(chosen({.method = GpMethod::variational, .inducing = points, .memory_mb = 2000}, 100000).method,
            GpMethod::variational);
  EXPECT_EQ(chosen({.method = GpMethod::conjugate_gradients, .rank = rank, .memory_mb = 2000}, 100000).method,
            GpMethod::conjugate_gradients);
  for (const GpLikelihood likelihood :
       {GpLikelihood::student_t, GpLikelihood::huber, GpLikelihood::laplacian, GpLikelihood::poisson}) {
    EXPECT_NE(refusal({.likelihood = likelihood, .memory_mb = 16000}, 1000000).find("gaussian"), std::string::npos);
  }
  EXPECT_NE(refusal({.mean = ParametricPart::linear, .memory_mb = 8000}, 1000000).find("mean = zero"),
            std::string::npos);
  EXPECT_NE(refusal({.search_rows = 0, .memory_mb = 100}, 3000).find("search_rows = 2560"), std::string::npos);
}

TEST(GpMethod, LittleMemoryStillFits) {
  const Index n = 1000;
  const Samples samples = random_samples(n, 2, 5);
  std::vector<double> y;
  for (Index i = 0; i < n; ++i) {
    y.push_back(std::sin(static_cast<double>(i % 17)));
  }
  const auto model =
      fit_gp(parse_kernel("rbf(lengthscale=1)"), {.optimize = false, .memory_mb = 3}, {samples, Targets::numeric(y)});
  EXPECT_EQ(model->parts().options.method, GpMethod::variational);
  EXPECT_LT(model->parts().options.inducing, 500);
  EXPECT_NE(model->report().notes.at(0).text.find("inducing points"), std::string::npos);
}

}  // namespace
}  // namespace mercer
