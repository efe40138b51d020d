#include "profile_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/data/atomic_file.h"

namespace mercer::program {

namespace {

constexpr double panel_height = 160;
constexpr double left_margin = 60;
constexpr double panel_width = 900;
constexpr Index most_letters = 150;

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    result += c == '<'                  ? "&lt;"
              : c == '>'                ? "&gt;"
              : c == '&'                ? "&amp;"
              : byte < 32 || byte > 126 ? "·"
                                        : std::string(1, c);
  }
  return result;
}

std::string panel(double top, std::string_view sequence, ConstMatrixView<double> values, Index function,
                  const std::string& name) {
  double largest = 0;
  for (Index at = 0; at < values.rows(); ++at) {
    largest = std::max(largest, std::abs(values(at, function)));
  }
  const double unit = largest > 0 ? (panel_height / 2 - 24) / largest : 0;
  const double zero = top + panel_height / 2;
  const double step = panel_width / static_cast<double>(std::max<Index>(values.rows(), 1));
  std::string svg =
      fmt::format("<text x=\"{}\" y=\"{:.1f}\" font-size=\"13\">{}</text>\n", left_margin, top + 14, escaped(name));
  svg += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{:.3g}</text>\n", left_margin - 6,
                     zero - unit * largest + 4, largest);
  svg += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">0</text>\n", left_margin - 6, zero + 4);
  svg += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{:.3g}</text>\n", left_margin - 6,
                     zero + unit * largest + 4, -largest);
  for (Index at = 0; at < values.rows(); ++at) {
    const double height = unit * values(at, function);
    const double x = left_margin + step * static_cast<double>(at);
    svg += fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"/>\n", x,
                       std::min(zero, zero - height), std::max(0.9 * step, 0.3), std::abs(height),
                       height >= 0 ? "#2166ac" : "#b2182b");
    if (values.rows() <= most_letters) {
      svg += fmt::format("<text x=\"{:.2f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", x + step / 2,
                         top + panel_height - 4, escaped(sequence.substr(static_cast<std::size_t>(at), 1)));
    }
  }
  svg += fmt::format("<line x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#444\"/>\n", left_margin,
                     left_margin + panel_width, zero, zero);
  return svg;
}

}  // namespace

void write_profile_picture(const std::string& path, std::string_view sequence, ConstMatrixView<double> values,
                           const std::vector<std::string>& functions) {
  const double height = panel_height * static_cast<double>(values.columns());
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"sans-serif\" font-size=\"9\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      left_margin + panel_width + 20, height);
  for (Index f = 0; f < values.columns(); ++f) {
    svg += panel(panel_height * static_cast<double>(f), sequence, values, f, functions[static_cast<std::size_t>(f)]);
  }
  AtomicFile file(path);
  file.write(svg + "</svg>\n");
  file.commit();
}

}  // namespace mercer::program
