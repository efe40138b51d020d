#include "gram_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mercer::program {

namespace {

constexpr std::size_t shown_entries = 8;

std::vector<std::size_t> largest_entries(std::span<const double> witness) {
  std::vector<std::size_t> order(witness.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto shown = std::min(shown_entries, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      const double left = std::abs(witness[a]);
                      const double right = std::abs(witness[b]);
                      return left != right ? left > right : a < b;
                    });
  order.resize(shown);
  return order;
}

std::string verdict(const DefinitenessReport& report) {
  switch (report.kind) {
    case DefinitenessKind::positive:
      return report.smallest > report.tolerance ? "positive definite: all eigenvalues are positive"
                                                : "positive definite: no eigenvalue is negative beyond rounding";
    case DefinitenessKind::conditional:
      return fmt::format("not positive definite, but conditionally positive definite of order {}", report.order);
    case DefinitenessKind::indefinite:
      break;
  }
  return "not positive definite: indefinite";
}

}  // namespace

Json check_as_json(const DefinitenessReport& report, std::span<const Index> row_numbers) {
  Json json = {{"positive_definite", report.kind == DefinitenessKind::positive},
               {"verdict", verdict(report)},
               {"conditional_order", report.kind == DefinitenessKind::conditional ? Json(report.order) : Json(nullptr)},
               {"smallest_eigenvalue", report.smallest},
               {"largest_eigenvalue", report.largest},
               {"tolerance", report.tolerance},
               {"negative_eigenvalues", report.negative < 0 ? Json(nullptr) : Json(report.negative)},
               {"witness", Json::array()}};
  for (std::size_t i = 0; i < report.witness.size(); ++i) {
    json["witness"].push_back({{"row", row_numbers[i]}, {"value", report.witness[i]}});
  }
  if (!report.note.empty()) {
    json["note"] = report.note;
  }
  return json;
}

std::string check_as_text(const DefinitenessReport& report, std::span<const Index> row_numbers) {
  std::string text = fmt::format("  {}\n  eigenvalues {} .. {}", verdict(report), readable(report.smallest, 6),
                                 readable(report.largest, 6));
  if (report.negative > 0) {
    text += fmt::format(", {} negative", report.negative);
  }
  text += fmt::format(" (rounding alone explains down to {})\n", readable(-report.tolerance, 2));
  if (!report.note.empty()) {
    text += fmt::format("  {}\n", report.note);
  }
  if (report.witness.empty()) {
    return text;
  }
  text +=
      fmt::format("  witness: a unit vector v with v'Kv = {}; its largest entries:\n\n", readable(report.smallest, 6));
  TextTable table({"row (from 0)", "v"}, {Align::right, Align::right});
  for (const std::size_t i : largest_entries(report.witness)) {
    table.add({std::to_string(row_numbers[i]), readable(report.witness[i])});
  }
  return text + table.text("  ");
}

}  // namespace mercer::program
