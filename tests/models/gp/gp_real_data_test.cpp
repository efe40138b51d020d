// Gaussian processes on real data: the yacht set with its published splits, whose exact-GP figures are RMSE .307 and log
// likelihood -.07 per test row (standard errors over the ten splits .03 and .09).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "data/number_lines.h"
#include "data/temporary_folder.h"
#include "mercer/data/files/input_stream.h"
#include "mercer/data/scaling.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/gp/gp.h"

namespace mercer {
namespace {

using testing::number_lines;

TEST(GpRealData, YachtIsAsGoodAsPublished) {
  const std::string path = real_data("gp-uci/yacht/data.txt.gz");
  if (path.empty()) {
    GTEST_SKIP() << "gp-uci/yacht is not there";
  }
  const auto rows = number_lines(path);
  const auto tests = number_lines(real_data("gp-uci/yacht/test_idx.txt.gz"));
  const auto d = static_cast<Index>(rows[0].size()) - 1;
  std::vector<double> x;
  std::vector<double> y;
  for (const auto& row : rows) {
    x.insert(x.end(), row.begin(), row.end() - 1);
    y.push_back(row.back());
  }
  const Samples samples = make_dense(x, static_cast<Index>(rows.size()), d);
  const mercer::Run run;
  double rmse = 0;
  double likelihood = 0;
  constexpr int splits = 10;
  for (int s = 0; s < splits; ++s) {
    std::vector<Index> test;
    for (const double index : tests[s]) {
      test.push_back(static_cast<Index>(index));
    }
    std::vector<Index> train;
    for (Index i = 0; i < samples.size(); ++i) {
      if (std::ranges::find(test, i) == test.end()) {
        train.push_back(i);
      }
    }
    const Scaling scaling = fit_scaling(default_scaling(samples), samples.select(train));
    const Targets targets = Targets::numeric(y);
    const auto model = fit_gp(parse_kernel("1*rbf(lengthscale=ard)"), {},
                              {scaling.apply(samples.select(train), run), targets.select(train)}, run);
    const Samples inputs = scaling.apply(samples.select(test), run);
    const Matrix<double> truth = targets.select(test).values();
    const Matrix<double> predicted = model->predict(inputs, run);
    const Matrix<double> density = model->log_density(inputs, truth.view(), run);
    double squares = 0;
    for (Index i = 0; i < truth.rows(); ++i) {
      squares += std::pow(predicted(i, 0) - truth(i, 0), 2) / static_cast<double>(truth.rows());
      likelihood += density(i, 0) / static_cast<double>(truth.rows()) / splits;
    }
    rmse += std::sqrt(squares) / splits;
  }
  EXPECT_LT(rmse, 0.307 + 0.03);
  EXPECT_GT(likelihood, -0.07 - 0.09);
}

}  // namespace
}  // namespace mercer
