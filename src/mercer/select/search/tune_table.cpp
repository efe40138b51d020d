#include "mercer/select/search/tune_table.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/text.h"

namespace mercer {

namespace {

bool may_be_chosen(const TunePoint& point) { return point.fraction == 1 && !std::isnan(point.mean); }

double utility(const TuneTable& table, const TunePoint& point) {
  return table.header.better == Better::higher ? point.mean : -point.mean;
}

// How simple a value is, in [0, 1]; 0 for axes that say nothing about it.
double simplicity(const SearchAxis& axis, double value) {
  switch (axis.simpler) {
    case SimplerEnd::lower:
      return 1 - axis.unit_of(value);
    case SimplerEnd::upper:
      return axis.unit_of(value);
    case SimplerEnd::neither:
      break;
  }
  return 0;
}

double simplicity(const TuneTable& table, const TunePoint& point) {
  double total = 0;
  for (std::size_t a = 0; a < table.header.axes.size(); ++a) {
    total += simplicity(table.header.axes[a], point.values[a]);
  }
  return total;
}

bool is_nowhere_less_simple(const TuneTable& table, const TunePoint& point, const TunePoint& than) {
  constexpr double rounding = 1e-9;
  for (std::size_t a = 0; a < table.header.axes.size(); ++a) {
    const SearchAxis& axis = table.header.axes[a];
    if (simplicity(axis, point.values[a]) < simplicity(axis, than.values[a]) - rounding) {
      return false;
    }
  }
  return true;
}

Index best_point(const TuneTable& table) {
  Index best = -1;
  for (std::size_t p = 0; p < table.points.size(); ++p) {
    const TunePoint& point = table.points[p];
    if (!may_be_chosen(point)) {
      continue;
    }
    if (best < 0) {
      best = static_cast<Index>(p);
      continue;
    }
    const TunePoint& other = table.points[best];
    const double gain = utility(table, point) - utility(table, other);
    if (gain > 0 || (gain == 0 && simplicity(table, point) > simplicity(table, other))) {
      best = static_cast<Index>(p);
    }
  }
  return best;
}

Index simplest_near(const TuneTable& table, Index best) {
  const TunePoint& reference = table.points[best];
  const double slack = std::isnan(reference.error) ? 0 : reference.error;
  Index chosen = best;
  for (std::size_t p = 0; p < table.points.size(); ++p) {
    const TunePoint& point = table.points[p];
    if (!may_be_chosen(point) || utility(table, point) < utility(table, reference) - slack ||
        !is_nowhere_less_simple(table, point, reference)) {
      continue;
    }
    const TunePoint& other = table.points[chosen];
    const double gain = simplicity(table, point) - simplicity(table, other);
    if (gain > 0 || (gain == 0 && utility(table, point) > utility(table, other))) {
      chosen = static_cast<Index>(p);
    }
  }
  return chosen;
}

}  // namespace

Choice parse_choice(std::string_view name) {
  if (const auto choice = find_word<Choice>(name)) {
    return *choice;
  }
  reject_argument("choose", name, "best (the best mean) or 1se (the simplest within one standard error of it)");
}

void choose_point(TuneTable& table, Choice choice) {
  table.best = best_point(table);
  table.chosen = table.best < 0 || choice == Choice::best ? table.best : simplest_near(table, table.best);
}

std::vector<RangeEnd> range_ends(const TuneTable& table) {
  std::vector<RangeEnd> ends;
  if (table.chosen < 0) {
    return ends;
  }
  constexpr double near = 0.01;  // of the range
  const TunePoint& chosen = table.points[table.chosen];
  for (std::size_t a = 0; a < table.header.axes.size(); ++a) {
    const SearchAxis& axis = table.header.axes[a];
    const double u = axis.is_range() ? axis.unit_of(chosen.values[a]) : 0.5;
    if (u > near && u < 1 - near) {
      continue;
    }
    const bool equal_inside = std::any_of(table.points.begin(), table.points.end(), [&](const TunePoint& point) {
      const double v = axis.unit_of(point.values[a]);
      return may_be_chosen(point) && utility(table, point) >= utility(table, chosen) && v > near && v < 1 - near;
    });
    if (!equal_inside) {
      ends.push_back({static_cast<Index>(a), u > 0.5});
    }
  }
  return ends;
}

std::vector<Index> ranked_points(const TuneTable& table) {
  std::vector<Index> order(table.points.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto key = [&](Index p) {
    const TunePoint& point = table.points[p];
    const double worth = std::isnan(point.mean) ? -std::numeric_limits<double>::infinity() : utility(table, point);
    return std::pair(point.fraction, worth);
  };
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    if (a == table.best || b == table.best) {
      return a == table.best && b != table.best;
    }
    return key(a) > key(b);
  });
  return order;
}

std::string table_text(const TuneTable& table) {
  std::string text;
  for (const TunePoint& point : table.points) {
    for (std::size_t a = 0; a < point.values.size(); ++a) {
      text += table.header.axes[a].name + "=" + table.header.axes[a].text(point.values[a]) + " ";
    }
    text +=
        "rows=" + shortest(point.fraction) + " mean=" + shortest(point.mean) + " error=" + shortest(point.error) + " :";
    for (const double score : point.scores) {
      text += " " + shortest(score);
    }
    text += "\n";
  }
  return text + "best " + std::to_string(table.best) + " chosen " + std::to_string(table.chosen) + "\n";
}

}  // namespace mercer
