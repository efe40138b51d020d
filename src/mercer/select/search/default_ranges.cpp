#include "mercer/select/search/default_ranges.h"

#include <array>

namespace mercer {

std::span<const DefaultRange> default_ranges() {
  static constexpr std::array table = {
      DefaultRange{"svc", "C", "2^-5..2^15"},
      DefaultRange{"nusvc", "nu", "0.01..0.8"},
      DefaultRange{"linearsvc", "C", "2^-10..2^10"},
      DefaultRange{"lssvm", "C", "2^-5..2^15", RangeUnit::absolute, "select"},
      DefaultRange{"svr", "C", "2^-5..2^15"},
      DefaultRange{"svr", "epsilon", "2^-8..2^-1", RangeUnit::target_deviations},
      DefaultRange{"nusvr", "C", "2^-5..2^15"},
      DefaultRange{"linearsvr", "C", "2^-10..2^10"},
      DefaultRange{"linearsvr", "epsilon", "2^-8..2^-1", RangeUnit::target_deviations},
      DefaultRange{"ridge", "lambda", "2^-20..2^10", RangeUnit::absolute, "mean_lambda select"},
      DefaultRange{"mklsvc", "C", "2^-5..2^15"},
      DefaultRange{"mklsvr", "C", "2^-5..2^15"},
      DefaultRange{"mklsvr", "epsilon", "2^-8..2^-1", RangeUnit::target_deviations},
      DefaultRange{"mklridge", "lambda", "2^-20..2^10", RangeUnit::absolute, "mean_lambda"},
      DefaultRange{"knnc", "neighbors", "1..50"},
      DefaultRange{"knnr", "neighbors", "1..50"},
      DefaultRange{"medoidc", "medoids", "1..20"},
      DefaultRange{"falkon", "lambda", "2^-20..2^10", RangeUnit::absolute, "mean_lambda"},
      DefaultRange{"falkonc", "lambda", "2^-20..2^10", RangeUnit::absolute, "mean_lambda"},
      DefaultRange{"maplogit", "lambda", "2^-20..2^10"},
      DefaultRange{"mapsvc", "C", "2^-5..2^15"},
      DefaultRange{"lapc", "lambda", "2^-10..2^5", RangeUnit::absolute, "select"},
      DefaultRange{"loess", "span", "0.1..1", RangeUnit::absolute, "bandwidth"},
      DefaultRange{"oneclass", "nu", "0.01..0.5"},
      DefaultRange{"svdd", "nu", "0.01..0.5"},
  };
  return table;
}

std::string_view default_width_range(std::string_view parameter) {
  if (parameter == "gamma") {
    return "2^-15..2^3";
  }
  // gamma = 1/(2 lengthscale²): the same widths.
  return parameter == "lengthscale" ? "2^-2..2^7" : "";
}

std::string_view path_option(std::string_view model) {
  for (const DefaultRange& range : default_ranges()) {
    if (range.model == model) {
      return range.option;
    }
  }
  return "";
}

}  // namespace mercer
