#include "mercer/models/risk/noise_density.h"

#include <memory>
#include <optional>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/base/text.h"

namespace mercer {

NoiseDensity::NoiseDensity(NoiseTable table) : table_(std::move(table)) {
  (void)DensityLoss(table_);  // says what is wrong with the table
  for (std::size_t i = 0; i < table_.residuals.size(); ++i) {
    text_ += (i > 0 ? "," : "") + shortest(table_.residuals[i]) + ":" + shortest(table_.densities[i]);
  }
}

namespace {

struct NoiseRow {
  std::optional<double> residual = {};
  std::optional<double> density = {};
};

/// Two numbers around the first of these separators that there is.
NoiseRow noise_row(std::string_view text, std::string_view separators) {
  for (const char separator : separators) {
    const std::size_t between = text.find(separator);
    if (between != std::string_view::npos) {
      return {parse_double(trim(text.substr(0, between))), parse_double(trim(text.substr(between + 1)))};
    }
  }
  return {};
}

[[noreturn]] void reject_row(std::string_view row, const char* wanted) {
  throw InvalidArgument("density: '" + std::string(trim(row)) + "' is not " + wanted);
}

/// Rows of a file, residual and density between commas, semicolons, tabs or blanks; a first line of names is passed over.
NoiseTable read_lines(std::string_view text) {
  NoiseTable table;
  bool is_first = true;
  for (const std::string& one : split(text, '\n')) {
    const std::string_view line = trim(one);
    if (line.empty()) {
      continue;
    }
    const NoiseRow row = noise_row(line, ",;\t ");
    const bool is_heading = is_first && !row.residual && !row.density;
    is_first = false;
    if (is_heading) {
      continue;
    }
    if (!row.residual || !row.density) {
      reject_row(line, "a line of a residual and a density, as in -1,0.24");
    }
    table.residuals.push_back(*row.residual);
    table.densities.push_back(*row.density);
  }
  return table;
}

NoiseTable read_pairs(std::string_view text) {
  NoiseTable table;
  for (const std::string& one : split(text, ',')) {
    const NoiseRow row = noise_row(one, ":");
    if (!row.residual || !row.density) {
      reject_row(one, "residual:density, as in -1:0.24,0:0.4,1:0.24");
    }
    table.residuals.push_back(*row.residual);
    table.densities.push_back(*row.density);
  }
  return table;
}

}  // namespace

NoiseDensity NoiseDensity::parse(std::string_view text) {
  const std::string_view content = trim(text);
  if (content.empty()) {
    return {};
  }
  return NoiseDensity(content.find('\n') == std::string_view::npos ? read_pairs(content) : read_lines(content));
}

LossPointer NoiseDensity::loss(double unit) const {
  NoiseTable scaled = table_;
  for (double& residual : scaled.residuals) {
    residual /= unit;
  }
  return std::make_shared<DensityLoss>(scaled);
}

}  // namespace mercer
