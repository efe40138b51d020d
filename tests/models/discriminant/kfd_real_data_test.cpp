// Kernel Fisher discriminants on real data: the first splits of the heart set of Rätsch's benchmark, whose published
// error is 16.1 ± .34 % (Schölkopf & Smola (2002), table 15.1).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "data/number_lines.h"
#include "data/temporary_folder.h"
#include "mercer/data/files/input_stream.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/discriminant/kfd.h"

namespace mercer {
namespace {

using testing::number_lines;

TEST(KfdRealData, HeartIsAsGoodAsPublished) {
  const std::string path = real_data("raetsch/heart/data.csv.gz");
  if (path.empty()) {
    GTEST_SKIP() << "raetsch/heart is not there";
  }
  std::vector<double> x;
  std::vector<double> y;
  const auto rows = number_lines(path);
  for (const auto& row : rows) {
    y.push_back(row.front());
    x.insert(x.end(), row.begin() + 1, row.end());
  }
  const Samples samples = make_dense(x, static_cast<Index>(rows.size()), 13);
  const Targets targets = Targets::numeric(y);
  const auto trains = number_lines(real_data("raetsch/heart/train_idx.txt.gz"));
  const auto tests = number_lines(real_data("raetsch/heart/test_idx.txt.gz"));
  constexpr std::size_t splits = 20;
  for (const KfdForm form : {KfdForm::exact, KfdForm::greedy, KfdForm::sparse}) {
    std::vector<double> errors;
    for (std::size_t s = 0; s < splits; ++s) {
      const std::vector<Index> train(trains[s].begin(), trains[s].end());
      const std::vector<Index> test(tests[s].begin(), tests[s].end());
      const auto model =
          fit_kfd(parse_kernel("rbf(gamma=0.0012)"), {.form = form}, {samples.select(train), targets.select(train)});
      const Matrix<double> predicted = model->predict(samples.select(test), {});
      const ClassLabels truth = targets.select(test).labels(0, model->classes());
      double wrong = 0;
      for (Index i = 0; i < predicted.rows(); ++i) {
        wrong += predicted(i, 0) == truth.codes[i] ? 0 : 1;
      }
      errors.push_back(100 * wrong / static_cast<double>(test.size()));
    }
    double mean = 0;
    double square = 0;
    for (const double error : errors) {
      mean += error / splits;
      square += error * error / splits;
    }
    const double standard_error = std::sqrt((square - mean * mean) / (splits - 1));
    EXPECT_LE(mean, 16.1 + 2.5 * standard_error) << word_of(form);
    EXPECT_LT(standard_error, 1) << word_of(form);
  }
}

}  // namespace
}  // namespace mercer
