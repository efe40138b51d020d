#include "mercer/data/constant_columns.h"

#include "mercer/base/text.h"

namespace mercer {

namespace {

bool are_alike(const Samples& numeric) {
  return visit_numeric(numeric, [](const auto& rows) {
    if constexpr (requires { rows.column_stride; }) {
      for (Index i = 1; i < rows.rows; ++i) {
        for (Index j = 0; j < rows.columns; ++j) {
          if (!(rows(i, j) == rows(0, j))) {
            return false;
          }
        }
      }
      return rows.rows > 1;
    }
    return false;
  });
}

}  // namespace

std::string said_of_constants(const Preparation& preparation, const Samples& raw) {
  const Coding& coding = preparation.coding;
  const bool has_numbers_alone = preparation.schema.numeric_columns > 0 && coding.categories.empty() &&
                                 coding.beside.empty() && !preparation.schema.columns.empty();
  if (!coding.is_fitted || !has_numbers_alone) {
    return {};
  }
  const Samples coded = preparation.coded(raw);
  if (!are_alike(coded.kind() == SampleKind::table ? coded.table().numeric() : coded)) {
    return {};
  }
  return "every column that is used holds one value (" + join(preparation.numeric_names(), ", ") +
         "), so that nothing tells rows apart";
}

}  // namespace mercer
