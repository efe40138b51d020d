#include "profile_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/data/files/atomic_file.h"

namespace mercer::program {

namespace {

constexpr double panel_height = 170;
constexpr double space_above = 24;  // for the name
constexpr double space_below = 36;  // for letters and numbers of places
constexpr double label_height = 11;
constexpr double left_margin = 60;
constexpr double panel_width = 900;
constexpr Index most_letters = 150;

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    result += c == '<'                   ? "&lt;"
              : c == '>'                 ? "&gt;"
              : c == '&'                 ? "&amp;"
              : byte < 32 || byte == 127 ? "·"
                                         : std::string(1, c);
  }
  return result;
}

// What is no character of UTF-8 is a dot.
std::string letter(const std::string& character) {
  return character.size() > 1 && character.front() == '\\' ? "·" : escaped(character);
}

// The heights of a panel: bars between lowest and highest value, 0 included.
struct Axis {
  double zero = 0;  // from the top of the picture
  double unit = 0;  // pixels
  double lowest = 0;
  double highest = 0;
};

Axis axis_of(double top, ConstMatrixView<double> values, Index function) {
  Axis axis;
  for (Index at = 0; at < values.rows(); ++at) {
    axis.lowest = std::min(axis.lowest, values(at, function));
    axis.highest = std::max(axis.highest, values(at, function));
  }
  const double range = axis.highest - axis.lowest;
  axis.unit = range > 0 ? (panel_height - space_above - space_below) / range : 0;
  axis.zero = top + space_above + axis.unit * axis.highest;
  return axis;
}

std::string axis_label(double y, double value) {
  return fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{:.3g}</text>\n", left_margin - 6, y + 4, value);
}

// Numbers of places, from 0: every 10, 20, 50, 100 … so that about ten or fewer stand below a panel.
std::string place_labels(double y, Index places, double step) {
  Index distance = 10;
  for (Index power = 10; places / distance > 10; power *= 10) {
    for (const Index factor : {1, 2, 5}) {
      distance = factor * power;
      if (places / distance <= 10) {
        break;
      }
    }
  }
  std::string svg;
  for (Index at = 0; at < places; at += distance) {
    svg += fmt::format("<text x=\"{:.2f}\" y=\"{:.1f}\" text-anchor=\"middle\" fill=\"#777\">{}</text>\n",
                       left_margin + step * (static_cast<double>(at) + 0.5), y, at);
  }
  return svg;
}

std::string panel(double top, const std::vector<std::string>& characters, ConstMatrixView<double> values,
                  Index function, const std::string& name) {
  const Axis axis = axis_of(top, values, function);
  const double step = panel_width / static_cast<double>(std::max<Index>(values.rows(), 1));
  std::string svg =
      fmt::format("<text x=\"{}\" y=\"{:.1f}\" font-size=\"13\">{}</text>\n", left_margin, top + 14, escaped(name));
  svg += axis_label(axis.zero, 0);
  for (const double end : {axis.highest, axis.lowest}) {
    if (std::abs(axis.unit * end) >= label_height) {
      svg += axis_label(axis.zero - axis.unit * end, end);
    }
  }
  for (Index at = 0; at < values.rows(); ++at) {
    const double height = axis.unit * values(at, function);
    const double x = left_margin + step * static_cast<double>(at);
    svg += fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"/>\n", x,
                       std::min(axis.zero, axis.zero - height), std::max(0.9 * step, 0.3), std::abs(height),
                       height >= 0 ? "#2166ac" : "#b2182b");
    if (values.rows() <= most_letters) {
      svg += fmt::format("<text x=\"{:.2f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", x + step / 2,
                         top + panel_height - 18, letter(characters[at]));
    }
  }
  svg += place_labels(top + panel_height - 6, values.rows(), step);
  svg += fmt::format("<line x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#444\"/>\n", left_margin,
                     left_margin + panel_width, axis.zero, axis.zero);
  return svg;
}

}  // namespace

void write_profile_picture(const std::string& path, const std::vector<std::string>& characters,
                           ConstMatrixView<double> values, const std::vector<std::string>& functions) {
  const double height = panel_height * static_cast<double>(values.columns());
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"sans-serif\" font-size=\"9\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      left_margin + panel_width + 20, height);
  for (Index f = 0; f < values.columns(); ++f) {
    svg += panel(panel_height * static_cast<double>(f), characters, values, f, functions[f]);
  }
  AtomicFile file(path);
  file.write(svg + "</svg>\n");
  file.commit();
}

}  // namespace mercer::program
