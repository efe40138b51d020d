// Models with a prior function: one file holds both, and what was damaged or does not belong together is refused.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "mercer/base/error.h"
#include "mercer/io/model_file.h"
#include "mercer/models/prior.h"
#include "support/expect_error.h"
#include "support/random_matrix.h"
#include "support/same_bits.h"

namespace mercer {
namespace {

using testing::random_matrix;
using testing::same_bits;

StoredModel with_prior(const Samples& raw, std::shared_ptr<const KnownFunction> prior, std::uint64_t seed) {
  const ModelEntry& ridge = find_model("ridge");
  Preparation preparation = fit_preparation({raw});
  preparation.prior = std::move(prior);
  const Matrix<double> y = random_matrix(raw.size(), 1, seed);
  TrainingData data{.samples = preparation.apply(raw), .targets = Targets::numeric(y.view())};
  return fit_stored_model(ridge, kernel_for(ridge, "rbf(gamma=0.5)"), {}, data, std::move(preparation));
}

std::shared_ptr<const PriorModel> shared(StoredModel stored) {
  return std::make_shared<const PriorModel>(std::move(stored));
}

TEST(PriorFile, HoldsTheFunctionItself) {
  const Samples raw = make_dense(random_matrix(20, 3, 1));
  const Samples fresh = make_dense(random_matrix(15, 3, 2));
  const StoredModel stored = with_prior(raw, shared(with_prior(raw, shared(with_prior(raw, nullptr, 3)), 4)), 5);
  const std::string bytes = model_to_bytes(stored);
  const StoredModel loaded = model_from_bytes(bytes, "m");
  EXPECT_TRUE(loaded.model->adds_offsets());
  EXPECT_TRUE(same_bits(loaded.predict(fresh), stored.predict(fresh)));
  EXPECT_EQ(model_to_bytes(loaded), bytes);
}

TEST(PriorFile, ModelsWithoutOneAreWrittenAsBefore) {
  const Samples raw = make_dense(random_matrix(20, 3, 1));
  const std::string bytes = model_to_bytes(with_prior(raw, nullptr, 3));
  EXPECT_EQ(bytes.find("prior"), std::string::npos);
  EXPECT_NE(bytes.find("\\\"format\\\":3"), std::string::npos);
  EXPECT_NE(model_to_bytes(with_prior(raw, shared(with_prior(raw, nullptr, 3)), 4)).find("\\\"format\\\":5"),
            std::string::npos);
}

TEST(PriorFile, PriorsOfPriorsEnd) {
  const Samples raw = make_dense(random_matrix(5, 1, 1));
  StoredModel stored = with_prior(raw, nullptr, 0);
  for (std::uint64_t k = 1; k <= 17; ++k) {
    stored = with_prior(raw, shared(std::move(stored)), k);
  }
  EXPECT_ERROR(model_from_bytes(model_to_bytes(stored), "m"), DataError, "more than 16 times");
}

class KnownInCode final : public KnownFunction {
 public:
  Matrix<double> values(const Samples& rows, const Run& /*run*/) const override {
    return Matrix<double>::filled(rows.size(), 1, 1.0);
  }
};

TEST(PriorFile, CodeIsNoFile) {
  const Samples raw = make_dense(random_matrix(5, 1, 1));
  const StoredModel stored = with_prior(raw, std::make_shared<const KnownInCode>(), 1);
  EXPECT_EQ(stored.predict(raw).rows(), 5);
  EXPECT_ERROR(model_to_bytes(stored), InvalidArgument, "prior function is made of code");
}

// Any byte of the inner file that changes is noticed: the outer checksum guards it, too.
TEST(PriorFile, DamageIsNoticed) {
  const Samples raw = make_dense(random_matrix(8, 2, 1));
  const std::string bytes = model_to_bytes(with_prior(raw, shared(with_prior(raw, nullptr, 3)), 4));
  for (std::size_t at = 100; at < bytes.size(); at += 97) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    EXPECT_THROW(model_from_bytes(damaged, "m"), DataError) << at;
  }
}

}  // namespace
}  // namespace mercer
