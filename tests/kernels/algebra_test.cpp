// Kernels taken apart, and kernels of the caller's own among those that the parser knows.
#include "mercer/kernels/algebra.h"

#include <gtest/gtest.h>

#include <array>

#include "mercer/base/error.h"
#include "mercer/kernels/algebra/custom.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/spec.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

std::vector<std::string> specs_of(const std::optional<std::vector<Kernel>>& kernels) {
  std::vector<std::string> specs;
  for (const Kernel& kernel : kernels.value()) {
    specs.push_back(kernel.spec());
  }
  return specs;
}

TEST(KernelParts, OfASumAndAProductAreTheFlatList) {
  const Kernel terms = parse_kernel("linear() + (constant() + white()) + linear() * constant()");
  const std::vector<std::string> expected = {"linear()", "constant(value=1)", "white(variance=1)",
                                             "linear() * constant(value=1)"};
  EXPECT_EQ(specs_of(as_sum(terms)), expected);
  EXPECT_FALSE(as_product(terms));
  const std::vector<std::string> factors = {"linear()", "constant(value=1)"};
  EXPECT_EQ(specs_of(as_product(as_sum(terms)->back())), factors);
  EXPECT_FALSE(as_sum(parse_kernel("linear()")));
}

TEST(KernelParts, OfAScaledKernel) {
  const auto scaled = as_scale(parse_kernel("0.5*(linear() + constant())"));
  ASSERT_TRUE(scaled);
  EXPECT_EQ(scaled->factor, 0.5);
  EXPECT_TRUE(as_sum(scaled->kernel));
  const auto searched = as_scale(parse_kernel("2^-3..2^3 * linear()"));
  ASSERT_TRUE(searched);
  EXPECT_FALSE(searched->factor);
  EXPECT_FALSE(as_scale(parse_kernel("linear()")));
}

TEST(KernelParts, OfAKernelOnColumns) {
  const auto part = as_columns(parse_kernel("linear()[age, 2:4]"));
  ASSERT_TRUE(part);
  EXPECT_EQ(to_string(part->columns), "[age, 2:4]");
  EXPECT_EQ(part->kernel, parse_kernel("linear()"));
  EXPECT_FALSE(as_columns(parse_kernel("linear()")));
}

KernelEntry linear_named(std::string name) {
  KernelEntry entry = *find_kernel("linear");
  entry.name = std::move(name);
  return entry;
}

TEST(OwnKernels, AreReadAndPrintedBesideThoseOfTheRegistry) {
  const KernelEntry mine = linear_named("homemade");
  const std::array own = {&mine};
  const Kernel kernel = parse_kernel("0.5*homemade()[age] + rbf(gamma=1)", own);
  EXPECT_EQ(kernel.spec(), "0.5*homemade()[age] + rbf(gamma=1)");
  EXPECT_EQ(parse_kernel("homemade()", own), make_kernel(mine));
  EXPECT_ERROR(parse_kernel("homemad()", own), InvalidArgument, "homemade");
  EXPECT_ERROR(parse_kernel("homemade()"), InvalidArgument, "unknown kernel");
}

TEST(OwnKernels, NeedNamesThatTheRegistryHasNot) {
  for (const char* name : {"sum", "rbf", "gaussian"}) {
    const KernelEntry mine = linear_named(name);
    const std::array own = {&mine};
    EXPECT_ERROR(parse_kernel(std::string(name) + "()", own), InvalidArgument, "needs a name of its own");
    EXPECT_ERROR(make_kernel(mine), InvalidArgument, "needs a name of its own");
    EXPECT_ERROR(from_function(
                     name, [](auto, auto) { return 1.0; }, Definiteness::positive()),
                 InvalidArgument, "needs a name of its own");
    EXPECT_ERROR(from_feature_map(name, [](auto, auto) {}, 1), InvalidArgument, "needs a name of its own");
  }
  for (const char* name : {"", "a b", " rbf", "2*rbf", "1st", "my-kernel"}) {
    EXPECT_ERROR(from_function(
                     name, [](auto, auto) { return 1.0; }, Definiteness::positive()),
                 InvalidArgument, "is no name of a kernel");
    EXPECT_ERROR(make_kernel(linear_named(name)), InvalidArgument, "is no name of a kernel");
  }
}

TEST(Subscripts, NameColumnsThatCanBe) {
  const Kernel kernel = parse_kernel("rbf(gamma=1)");
  EXPECT_EQ(parse_kernel(on_columns(kernel, {{ColumnSpan{2, 4}, ColumnName{"age"}}}).spec()),
            on_columns(kernel, {{ColumnSpan{2, 4}, ColumnName{"age"}}}));
  for (const ColumnSelection& none : {ColumnSelection{}, ColumnSelection{{ColumnSpan{2, 2}}},
                                      ColumnSelection{{ColumnSpan{3, 1}}}, ColumnSelection{{ColumnSpan{-2, 1}}}}) {
    EXPECT_ERROR(on_columns(kernel, none), InvalidArgument, "begin < end");
  }
}

}  // namespace
}  // namespace mercer
