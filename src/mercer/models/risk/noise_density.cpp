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

NoiseDensity NoiseDensity::parse(std::string_view text) {
  if (trim(text).empty()) {
    return {};
  }
  NoiseTable table;
  for (const std::string& one : split(text, ',')) {
    const std::string_view item = one;
    const std::size_t colon = item.find(':');
    const std::optional<double> residual = parse_double(trim(item.substr(0, colon)));
    const std::optional<double> density =
        colon == std::string_view::npos ? std::nullopt : parse_double(trim(item.substr(colon + 1)));
    if (!residual || !density) {
      throw InvalidArgument("density: '" + std::string(trim(item)) +
                            "' is not residual:density, as in -1:0.24,0:0.4,1:0.24");
    }
    table.residuals.push_back(*residual);
    table.densities.push_back(*density);
  }
  return NoiseDensity(std::move(table));
}

LossPointer NoiseDensity::loss(double unit) const {
  NoiseTable scaled = table_;
  for (double& residual : scaled.residuals) {
    residual /= unit;
  }
  return std::make_shared<DensityLoss>(scaled);
}

}  // namespace mercer
