// The bytes of model files, over the registry: the same fit writes the same ones, and no change of them goes unseen.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/io/checksum.h"
#include "mercer/io/model_file.h"
#include "mercer/kernels/algebra/custom.h"
#include "mercer/kernels/spec.h"
#include "models/word_cases.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::fit_stored;
using testing::LawTargets;
using testing::random_problem;
using testing::refusal_of;
using testing::shared_fit;
using testing::word_cases;
using testing::WordCase;

class ModelBytesLaw : public ::testing::TestWithParam<const ModelEntry*> {};

std::string fitted_bytes(const ModelEntry& entry, const std::vector<OptionSetting>& settings, Index rows, int threads) {
  return model_to_bytes(fit_stored(entry, settings, {.rows = rows}, mercer::Run{{.threads = threads}}));
}

// What fresh memory holds, from now on: bytes that no fit has set differ from one fit to the next.
void fill_fresh_memory_with([[maybe_unused]] int byte) {
#ifdef __GLIBC__
  mallopt(M_PERTURB, byte);
#endif
}

// What is refused, model_laws_test.cpp has the list of.
TEST_P(ModelBytesLaw, TheSameFitWritesTheSameBytes) {
  for (const WordCase& one : word_cases(*GetParam())) {
    if (one.targets == LawTargets::several || refusal_of(one) != nullptr) {
      continue;
    }
    SCOPED_TRACE(one.label());
    const std::string bytes = model_to_bytes(shared_fit(*GetParam(), one.settings(), one.problem()));
    fill_fresh_memory_with(0xA5);
    EXPECT_TRUE(model_to_bytes(fit_stored(*GetParam(), one.settings(), one.problem(), mercer::Run{{.threads = 3}})) ==
                bytes);
    fill_fresh_memory_with(0);
  }
}

TEST_P(ModelBytesLaw, EveryChangeIsRefused) {
  const std::string whole = fitted_bytes(*GetParam(), {}, 20, 1);
  RandomStream random(73, 0);
  for (int trial = 0; trial < 25; ++trial) {
    std::string bytes = whole;
    const std::size_t place = random.below(bytes.size());
    bytes[place] = static_cast<char>(bytes[place] ^ static_cast<char>(1 + random.below(255)));
    SCOPED_TRACE("byte " + std::to_string(place));
    // Parts of a header that no longer fit are named; whatever fits is found by its sum.
    EXPECT_ERROR(model_from_bytes(bytes, "damaged.mercer"), DataError, "damaged.mercer: ");
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, ModelBytesLaw, ::testing::ValuesIn(model_registry().begin(), model_registry().end()),
                         [](const auto& info) { return info.param->name; });

std::string ridge_bytes() { return fitted_bytes(find_model("ridge"), {}, 12, 1); }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  return text.replace(place, from.size(), to);
}

// Neither a damaged version nor a damaged key switches the check off.
TEST(Checksum, CannotBeSwitchedOffByOneChange) {
  const std::string whole = ridge_bytes();
  EXPECT_ERROR(model_from_bytes(replaced(whole, R"(\"format\":3)", R"(\"format\":1)"), "m"), DataError,
               "the file is damaged");
  EXPECT_ERROR(model_from_bytes(replaced(whole, "\"checksum\"", "\"checksun\""), "m"), DataError,
               "the file is damaged");
  EXPECT_ERROR(model_from_bytes(replaced(whole, "\"checksum\":\"", "\"checksum\":\"\\u0030"), "m"), DataError, "m: ");
}

TEST(Checksum, EveryByteOfASmallFile) {
  const std::string whole = ridge_bytes();
  for (std::size_t place = 0; place < whole.size(); ++place) {
    std::string bytes = whole;
    bytes[place] = static_cast<char>(bytes[place] ^ 1);
    EXPECT_ERROR(model_from_bytes(bytes, "m"), DataError, "m: ") << place;
  }
}

// CRC-64 of "123456789" (ECMA-182, reflected), the check value of its definition: 995dc9bbdf1939fa. Here through a file
// whose sum is known by the definition: the sum of a whole file with zeros in the field's place.
TEST(Checksum, StandsInTheMetadataAsDigits) {
  const std::string whole = ridge_bytes();
  const std::size_t field = whole.find("\"checksum\":\"") + 12;
  const std::string digits = whole.substr(field, 16);
  EXPECT_TRUE(std::ranges::all_of(digits, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }));
  // By the definition, bit after bit: polynomial 0x42F0E1EBA9EA3693, reflected.
  std::string blank = whole;
  blank.replace(field, 16, 16, '0');
  std::uint64_t sum = ~std::uint64_t{0};
  for (const char c : blank) {
    sum ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) {
      sum = (sum >> 1) ^ ((sum & 1) != 0 ? 0xC96C5795D7870F42ULL : 0);
    }
  }
  EXPECT_EQ(std::stoull(digits, nullptr, 16), ~sum);
}

TEST(ModelFile, KindsOfLabelsAndAnnotationsComeBack) {
  StoredModel stored;
  const TrainingData data = random_problem(10, 2, 1, 74);
  stored.preparation.schema = schema_of(data.samples);
  stored.model = find_model("ridge").fit(parse_kernel("linear()"), {}, data, {});
  stored.annotations = {{"python", "{\"C\": 1}"}, {"other", "any bytes \xff"}};
  for (const LabelKind kind : {LabelKind::text, LabelKind::integer, LabelKind::real, LabelKind::boolean}) {
    stored.label_kind = kind;
    const StoredModel loaded = model_from_bytes(model_to_bytes(stored), "m");
    EXPECT_EQ(loaded.label_kind, kind);
    EXPECT_EQ(loaded.annotations, stored.annotations);
  }
}

TEST(ModelFile, KernelsOfTheCallersOwnCodeAreNotWritten) {
  const Kernel product =
      from_function("own_product", [](auto x, auto y) { return x[0] * y[0]; }, Definiteness::positive());
  StoredModel stored;
  const TrainingData data = random_problem(10, 1, 1, 75);
  stored.preparation.schema = schema_of(data.samples);
  stored.model = find_model("ridge").fit(product, {}, data, {});
  EXPECT_ERROR(model_to_bytes(stored), InvalidArgument, "is made of code that no file can hold");
}

}  // namespace
}  // namespace mercer
