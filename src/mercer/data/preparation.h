// Preparation: how raw rows become the samples that a model takes,
//
//   rows of a series ──► rows with their past (Embedding), where the training rows were such
//   raw rows ──► columns of the training rows, in their order and codes (Schema)
//            ──► missing numbers filled, categories as columns of 0 and 1 (Coding) ──► scaled numbers (Scaling)
//
// A function that was known before the fit sees the raw rows, and what it says of them goes with the samples (their offsets).
//
// Fitted once, to the training rows; kept in the model's file; replayed on every row that comes after.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/base/words.h"
#include "mercer/data/coding.h"
#include "mercer/data/embedding.h"
#include "mercer/data/scaling.h"
#include "mercer/data/schema.h"

namespace mercer {

enum class StoredPrecision { float64, float32 };
constexpr auto words_of(StoredPrecision) {
  return std::array{Word{StoredPrecision::float64, "float64"}, Word{StoredPrecision::float32, "float32"}};
}
constexpr std::string_view to_string(StoredPrecision precision) { return word_of(precision); }

/// A function of raw rows that was known before a fit.
class KnownFunction {
 public:
  KnownFunction() = default;
  virtual ~KnownFunction() = default;
  KnownFunction(const KnownFunction&) = delete;
  KnownFunction& operator=(const KnownFunction&) = delete;
  KnownFunction(KnownFunction&&) = delete;
  KnownFunction& operator=(KnownFunction&&) = delete;

  /// rows × outputs, of rows with the columns of a schema. DataError where they are no rows for it.
  virtual Matrix<double> values(const Samples& rows, const Run& run) const = 0;
};

struct Preparation {
  Schema schema = {};
  Coding coding = {};
  Scaling scaling = {};
  /// In which the numbers of the training file were read; new ones are read alike.
  StoredPrecision precision = StoredPrecision::float64;
  /// Of rows that are a series: it comes before all else, and leaves rows out. The schema is that of rows with their past.
  std::optional<Embedding> embedding = {};
  /// Whose values become the offsets of the samples (Samples::offsets); null: none.
  std::shared_ptr<const KnownFunction> prior = {};

  /// The columns of a file.
  Schema file_schema() const { return embedding ? embedding->before(schema) : schema; }
  /// As a model of the training rows takes them; rows of a series with their past already. Throws as apply_schema() and Scaling::apply().
  Samples apply(const Samples& raw, const Run& run = {}) const;
  /// Without the scaling, which searches fit themselves.
  Samples coded(const Samples& raw, const Run& run = {}) const;
  /// Of the columns of numbers that the model sees: their names, or numbers from 0 where they have none.
  std::vector<std::string> numeric_names() const;
};

/// Of rows that are described already, as readers give them. Throws as fit_scaling().
Preparation fit_preparation(Schema schema, const CodingRule& coding, const ScalingRule& scaling,
                            const WeightedSamples& raw, StoredPrecision precision = StoredPrecision::float64);
/// Of rows in memory, scaled as is usual for their kind.
Preparation fit_preparation(const WeightedSamples& raw);

}  // namespace mercer
