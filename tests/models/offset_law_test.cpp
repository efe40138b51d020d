// With a kernel that depends on differences alone, data that lies far from the origin has the same answers: the offset is
// taken off in double before anything is rounded.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>

#include "models/smooth_problem.h"

namespace mercer {
namespace {

using testing::answers;
using testing::exact_coordinates;
using testing::relative_difference;
using testing::smooth_targets;

// Models whose answers are not those of the moved data, and why.
const std::map<std::string, std::string>& not_invariant() {
  static const std::map<std::string, std::string> reasons = {
      {"linearsvc", "its functions are linear: no kernel of differences"},
      {"linearsvr", "its functions are linear: no kernel of differences"},
      {"sketch", "approximates polynomials only"},
      {"chi2map", "approximates histogram kernels only"},
      {"fourier", "features are cosines of angles: another origin turns them, their inner products stay"},
      {"sinks", "features are cosines of angles: another origin turns them, their inner products stay"},
  };
  return reasons;
}

Samples moved(const Matrix<double>& x, double offset) {
  Matrix<double> result = Matrix<double>::copy_of(x.view());
  for (Index i = 0; i < result.rows() * result.columns(); ++i) {
    result.data()[i] += offset;  // exact
  }
  return make_dense(std::move(result));
}

class OffsetLaw : public ::testing::TestWithParam<const ModelEntry*> {};

TEST_P(OffsetLaw, AnswersAreThoseOfTheDataAtTheOrigin) {
  const ModelEntry& entry = *GetParam();
  if (not_invariant().contains(entry.name)) {
    GTEST_SKIP() << not_invariant().at(entry.name);
  }
  const Matrix<double> x = exact_coordinates(80, 3, 61);
  const Matrix<double> query = exact_coordinates(40, 3, 62);
  const Targets targets = smooth_targets(entry, x);
  const std::optional<Kernel> kernel =
      entry.default_kernel.empty() ? std::nullopt : std::optional(parse_kernel("rbf(lengthscale=1.5)"));
  const auto fitted = [&](double offset) { return entry.fit(kernel, {}, {moved(x, offset), targets}, {}); };
  const Matrix<double> expected = answers(*fitted(0), moved(query, 0));
  for (const double offset : {8192.0, 8388608.0, 1073741824.0}) {
    const Matrix<double> values = answers(*fitted(offset), moved(query, offset));
    // The solvers' own tolerances are 1e-3 of the answer at most.
    EXPECT_LT(relative_difference(values, expected), 2e-3) << offset;
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, OffsetLaw, ::testing::ValuesIn(model_registry().begin(), model_registry().end()),
                         [](const auto& info) { return info.param->name; });

}  // namespace
}  // namespace mercer
