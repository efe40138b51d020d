// y = f + s·t with t of Student's distribution: with r = y − f and a = νs² + r²,
//
//   ln p = const − ln s − (ν+1)/2 · ln(1 + r²/(νs²)),   ∂ = (ν+1) r/a,   ∂² = (ν+1)(r² − νs²)/a².
//
// The curvature changes its sign at |r| = s√ν: observations beyond pull less the farther they are.
#include <cmath>
#include <limits>
#include <numbers>

#include "mercer/base/special_functions.h"
#include "mercer/models/likelihoods/additive_noise.h"
#include "mercer/models/likelihoods/families.h"

namespace mercer {

namespace {

class StudentT final : public AdditiveNoise {
 public:
  StudentT(double scale, double degrees) : scale_(scale), degrees_(degrees) {
    require_positive("student_t", "scale", scale);
    require_positive("student_t", "degrees of freedom", degrees);
    constant_ = log_gamma((degrees + 1) / 2) - log_gamma(degrees / 2) - 0.5 * std::log(degrees * std::numbers::pi) -
                std::log(scale);
  }

  std::string_view name() const override { return "student_t"; }
  bool is_log_concave() const override { return false; }

  LogDensity log_density(double y, double f) const override {
    const double r = y - f;
    const double base = degrees_ * scale_ * scale_;
    const double a = base + r * r;
    const double power = degrees_ + 1;
    return {constant_ - power / 2 * std::log1p(r * r / base), power * r / a, power * (r * r - base) / (a * a),
            2 * power * r * (r * r - 3 * base) / (a * a * a)};
  }

  std::vector<ScaleParameter> parameters() const override {
    return {{.path = "scale", .value = scale_, .constraint = Constraint::positive, .fixed = false, .bounds = {}}};
  }
  LikelihoodPtr with_parameters(std::span<const double> values) const override {
    return student_t_likelihood(only_value(name(), values), degrees_);
  }
  void parameter_slopes(double y, double f, std::span<ParameterSlope> out) const override {
    const double r = y - f;
    const double base = degrees_ * scale_ * scale_;
    const double slope = 2 * degrees_ * scale_;  // of `base`
    const double a = base + r * r;
    const double power = degrees_ + 1;
    out[0] = {-1 / scale_ + power * r * r / (scale_ * a), -power * r * slope / (a * a),
              -power * slope * (3 * r * r - base) / (a * a * a)};
  }

 protected:
  double noise_cumulative(double noise) const override { return student_cumulative(noise / scale_, degrees_); }
  double noise_variance() const override {
    return degrees_ > 2 ? scale_ * scale_ * degrees_ / (degrees_ - 2) : std::numeric_limits<double>::infinity();
  }
  double noise_width() const override { return scale_; }
  double analytic_width() const override { return scale_ * std::sqrt(degrees_); }

 private:
  double scale_;
  double degrees_;
  double constant_ = 0;
};

}  // namespace

LikelihoodPtr student_t_likelihood(double scale, double degrees_of_freedom) {
  return std::make_shared<StudentT>(scale, degrees_of_freedom);
}

}  // namespace mercer
