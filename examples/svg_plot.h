// Figures as SVG text: panels with axes, points, rings, curves, bands and contour lines, side by side above one legend.
// Nothing but the standard library; coordinates are written with one decimal, so that figures stay small.
//
//   svg::Panel panel("a title", {.x = {0, 1}, .y = {-1, 1}});
//   panel.curve(xs, ys, {.color = "#333"});
//   svg::Figure figure(3);
//   figure.add(panel);
//   figure.write("figure.svg");
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace svg {

struct Range {
  double from = 0;
  double to = 1;
};

struct Axes {
  Range x;
  Range y;
  std::string x_label = {};
  std::string y_label = {};
  double width = 300;
  double height = 230;
};

struct Stroke {
  std::string color = "#222";
  double width = 1.6;
  std::string dash = {};
};

inline std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  std::string result = text;
  if (result.ends_with(".0")) {
    result.resize(result.size() - 2);
  }
  return result == "-0" ? "0" : result;
}

inline std::string attributes(const Stroke& stroke) {
  return "fill='none' stroke='" + stroke.color + "' stroke-width='" + number(stroke.width) + "'" +
         (stroke.dash.empty() ? "" : " stroke-dasharray='" + stroke.dash + "'");
}

/// A step of 1, 2 or 5 times a power of ten that cuts the range into at most `parts` parts.
inline double tick_step(Range range, int parts) {
  const double least = (range.to - range.from) / parts;
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) {
      return factor * power;
    }
  }
  return 10 * power;
}

/// Values of a function at the corners of a regular grid over the axes: values[row * columns + column].
struct Grid {
  int columns = 0;
  int rows = 0;
  std::vector<double> values = {};

  double at(int column, int row) const { return values[row * columns + column]; }
};

struct Point {
  double x = 0;
  double y = 0;
};

/// The lines on which the function has a value, in units of grid cells: marching squares, with linear interpolation
/// along the edges of cells and the pieces of neighbouring cells joined.
class ContourLines {
 public:
  ContourLines(const Grid& grid, double level) : grid_(grid), level_(level) {
    for (int row = 0; row + 1 < grid.rows; ++row) {
      for (int column = 0; column + 1 < grid.columns; ++column) {
        cut_cell(column, row);
      }
    }
  }

  std::vector<std::vector<Point>> lines() {
    std::vector<std::vector<Point>> result;
    // Open lines first: a walk that begins in the middle of one would cut it in two.
    for (const bool open : {true, false}) {
      for (const auto& [edge, neighbors] : neighbors_) {
        if (!neighbors.empty() && (!open || neighbors.size() == 1)) {
          result.push_back(walk(edge));
        }
      }
    }
    return result;
  }

 private:
  /// Twice the middle of an edge, which names it.
  using Edge = std::pair<int, int>;

  bool above(int column, int row) const { return grid_.at(column, row) > level_; }

  void cut_cell(int column, int row) {
    const bool corners[4] = {above(column, row), above(column + 1, row), above(column + 1, row + 1),
                             above(column, row + 1)};
    const Edge edges[4] = {{2 * column + 1, 2 * row},
                           {2 * column + 2, 2 * row + 1},
                           {2 * column + 1, 2 * row + 2},
                           {2 * column, 2 * row + 1}};
    std::vector<Edge> crossed;
    for (int side = 0; side < 4; ++side) {
      if (corners[side] != corners[(side + 1) % 4]) {
        crossed.push_back(edges[side]);
      }
    }
    for (std::size_t pair = 0; pair + 1 < crossed.size(); pair += 2) {
      neighbors_[crossed[pair]].push_back(crossed[pair + 1]);
      neighbors_[crossed[pair + 1]].push_back(crossed[pair]);
    }
  }

  Point crossing(const Edge& edge) const {
    const int column = edge.first / 2;
    const int row = edge.second / 2;
    const bool level_edge = edge.first % 2 == 1;
    const double first = grid_.at(column, row);
    const double second = level_edge ? grid_.at(column + 1, row) : grid_.at(column, row + 1);
    const double share = (level_ - first) / (second - first);
    return {column + (level_edge ? share : 0), row + (level_edge ? 0 : share)};
  }

  std::vector<Point> walk(Edge edge) {
    std::vector<Point> line = {crossing(edge)};
    while (!neighbors_[edge].empty()) {
      const Edge next = neighbors_[edge].back();
      neighbors_[edge].pop_back();
      std::erase(neighbors_[next], edge);
      line.push_back(crossing(next));
      edge = next;
    }
    return line;
  }

  const Grid& grid_;
  double level_;
  std::map<Edge, std::vector<Edge>> neighbors_ = {};
};

enum class Marker { dot, cross };

class Panel {
 public:
  Panel(std::string title, Axes axes) : title_(std::move(title)), axes_(std::move(axes)) {}

  const Axes& axes() const { return axes_; }

  void points(const std::vector<double>& x, const std::vector<double>& y, Marker marker, const std::string& color) {
    std::string path;
    for (std::size_t i = 0; i < x.size(); ++i) {
      // A line of no length with round ends is a dot.
      path += "M" + place(x[i], y[i]) + (marker == Marker::dot ? "h0" : "m-2.5-2.5l5 5m0-5l-5 5");
    }
    const bool dot = marker == Marker::dot;
    body_ += "<path d='" + path + "' stroke-linecap='round' " + attributes({color, dot ? 5.0 : 1.5}) + "/>\n";
  }

  void rings(const std::vector<double>& x, const std::vector<double>& y, const std::string& color) {
    body_ += "<g " + attributes({color, 1.3}) + ">";
    for (std::size_t i = 0; i < x.size(); ++i) {
      body_ += "<circle cx='" + number(across(x[i])) + "' cy='" + number(down(y[i])) + "' r='5.5'/>";
    }
    body_ += "</g>\n";
  }

  /// Short upright strokes at the lower or upper edge.
  void rug(const std::vector<double>& x, double y, const std::string& color) {
    std::string path;
    for (const double value : x) {
      path += "M" + place(value, y) + "v7";
    }
    body_ += "<path d='" + path + "' " + attributes({color, 0.5}) + "/>\n";
  }

  void curve(const std::vector<double>& x, const std::vector<double>& y, const Stroke& stroke) {
    body_ += "<path d='" + line(x, y, "M") + "' " + attributes(stroke) + "/>\n";
  }

  void band(const std::vector<double>& x, const std::vector<double>& lower, const std::vector<double>& upper,
            const std::string& color) {
    const std::vector<double> back_x(x.rbegin(), x.rend());
    const std::vector<double> back_y(upper.rbegin(), upper.rend());
    body_ +=
        "<path d='" + line(x, lower, "M") + line(back_x, back_y, "L") + "z' stroke='none' fill='" + color + "'/>\n";
  }

  void contour(const Grid& grid, double level, const Stroke& stroke) {
    std::string path;
    for (const std::vector<Point>& points : ContourLines(grid, level).lines()) {
      std::vector<double> x;
      std::vector<double> y;
      for (const Point& point : points) {
        x.push_back(axes_.x.from + (axes_.x.to - axes_.x.from) * point.x / (grid.columns - 1));
        y.push_back(axes_.y.from + (axes_.y.to - axes_.y.from) * point.y / (grid.rows - 1));
      }
      path += line(x, y, "M");
    }
    body_ += "<path d='" + path + "' " + attributes(stroke) + "/>\n";
  }

  /// A line of text under the title.
  void note(std::string text) { note_ = std::move(text); }

  std::string text(const std::string& clip) const {
    const std::string size = "width='" + number(axes_.width) + "' height='" + number(axes_.height) + "'";
    return "<clipPath id='" + clip + "'><rect " + size +
           "/></clipPath>\n<text y='-26' font-size='14' font-weight='600'>" + title_ +
           "</text>\n<text y='-9' font-size='12' fill='#555'>" + note_ + "</text>\n<g clip-path='url(#" + clip +
           ")'>\n" + body_ + "</g>\n<rect " + size + " " + attributes({"#888", 1}) + "/>\n" + ticks();
  }

 private:
  double across(double x) const { return (x - axes_.x.from) / (axes_.x.to - axes_.x.from) * axes_.width; }
  double down(double y) const { return (axes_.y.to - y) / (axes_.y.to - axes_.y.from) * axes_.height; }
  std::string place(double x, double y) const { return number(across(x)) + "," + number(down(y)); }

  std::string line(const std::vector<double>& x, const std::vector<double>& y, const std::string& first) const {
    std::string path;
    for (std::size_t i = 0; i < x.size(); ++i) {
      path += (i == 0 ? first : "L") + place(x[i], y[i]);
    }
    return path;
  }

  static std::string tick_text(double value, double step) {
    char text[32];
    const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
    std::snprintf(text, sizeof text, "%.*f", decimals, std::abs(value) < step / 2 ? 0.0 : value);
    return text;
  }

  std::string ticks() const {
    std::string labels;
    std::string path;
    const double x_step = tick_step(axes_.x, 6);
    for (double x = std::ceil(axes_.x.from / x_step - 1e-9) * x_step; x <= axes_.x.to + 1e-9; x += x_step) {
      path += "M" + number(across(x)) + "," + number(axes_.height) + "v4";
      labels += "<text text-anchor='middle' x='" + number(across(x)) + "' y='" + number(axes_.height + 16) + "'>" +
                tick_text(x, x_step) + "</text>";
    }
    const double y_step = tick_step(axes_.y, 6);
    for (double y = std::ceil(axes_.y.from / y_step - 1e-9) * y_step; y <= axes_.y.to + 1e-9; y += y_step) {
      path += "M0," + number(down(y)) + "h-4";
      labels += "<text text-anchor='end' x='-7' y='" + number(down(y) + 4) + "'>" + tick_text(y, y_step) + "</text>";
    }
    labels += "<text text-anchor='middle' x='" + number(axes_.width / 2) + "' y='" + number(axes_.height + 32) + "'>" +
              axes_.x_label + "</text><text text-anchor='middle' transform='translate(-34 " + number(axes_.height / 2) +
              ")rotate(-90)'>" + axes_.y_label + "</text>";
    return "<path d='" + path + "' " + attributes({"#888", 1}) + "/>\n<g font-size='11' fill='#444'>" + labels +
           "</g>\n";
  }

  std::string title_;
  std::string note_ = {};
  Axes axes_;
  std::string body_ = {};
};

/// What stands before a text of the legend.
enum class Swatch { line, dot, cross, ring, area };

/// Panels of one size in rows; the legend takes the free place in the last row, or a row of its own.
class Figure {
 public:
  explicit Figure(int columns) : columns_(columns) {}

  void add(const Panel& panel) { panels_.push_back(panel); }
  void legend(Swatch swatch, const Stroke& stroke, const std::string& text) {
    legend_.push_back({swatch, stroke, text});
  }

  std::string text() const {
    const int count = static_cast<int>(panels_.size());
    const bool free_place = count % columns_ != 0;
    const int rows = (count + columns_ - 1) / columns_;
    const double cell_width = panels_.front().axes().width + 64;
    const double cell_height = panels_.front().axes().height + 92;
    const double legend_height = free_place ? 0 : 24.0 * static_cast<double>(legend_.size()) / columns_ + 24;
    std::string body;
    for (int i = 0; i < count; ++i) {
      body += group(48 + cell_width * (i % columns_), 46 + cell_height * (i / columns_));
      body += panels_[i].text("p" + std::to_string(i)) + "</g>\n";
    }
    body += legend_text(48 + (free_place ? cell_width * (count % columns_) : 0),
                        free_place ? 60 + cell_height * (rows - 1) : cell_height * rows + 6, free_place ? 1 : columns_,
                        cell_width);
    const std::string width = number(cell_width * columns_ + 4);
    const std::string height = number(cell_height * rows + legend_height);
    return "<svg xmlns='http://www.w3.org/2000/svg' width='" + width + "' height='" + height + "' viewBox='0 0 " +
           width + " " + height +
           "' font-family='Helvetica,Arial,sans-serif' fill='#222'>\n<rect width='100%' height='100%' fill='#fff'/>\n" +
           body + "</svg>\n";
  }

  void write(const std::string& path) const {
    std::ofstream file(path, std::ios::binary);
    file << text();
    if (!file.flush()) {
      throw std::runtime_error("cannot write " + path);
    }
  }

 private:
  struct Item {
    Swatch swatch = Swatch::line;
    Stroke stroke = {};
    std::string text = {};
  };

  static std::string group(double x, double y) {
    return "<g transform='translate(" + number(x) + " " + number(y) + ")'>\n";
  }

  static std::string swatch_text(const Item& item) {
    switch (item.swatch) {
      case Swatch::line:
        return "<path d='M0 0h26' " + attributes(item.stroke) + "/>";
      case Swatch::dot:
        return "<circle cx='13' r='2.5' fill='" + item.stroke.color + "'/>";
      case Swatch::cross:
        return "<path d='M10.5-2.5l5 5m0-5l-5 5' " + attributes({item.stroke.color, 1.5}) + "/>";
      case Swatch::ring:
        return "<circle cx='13' r='5.5' " + attributes({item.stroke.color, 1.3}) + "/>";
      case Swatch::area:
        return "<rect y='-7' width='26' height='14' fill='" + item.stroke.color + "'/>";
    }
    return {};
  }

  std::string legend_text(double x, double y, int columns, double cell_width) const {
    std::string body = group(x, y);
    for (std::size_t i = 0; i < legend_.size(); ++i) {
      const auto column = static_cast<double>(i % static_cast<std::size_t>(columns));
      const auto row = static_cast<double>(i / static_cast<std::size_t>(columns));
      body += group(column * cell_width, 24 * row) + swatch_text(legend_[i]) + "<text x='34' y='4' font-size='12'>" +
              legend_[i].text + "</text></g>\n";
    }
    return body + "</g>\n";
  }

  int columns_;
  std::vector<Panel> panels_ = {};
  std::vector<Item> legend_ = {};
};

}  // namespace svg
