// loess: local polynomials around every query, resistant to outliers on request, with standard errors
// (smoothing/loess.h has the formulas). The model keeps all training points; a prediction is one weighted least-squares
// problem of its neighbourhood.
//
// Several predictors are divided by the standard deviation of their middle 80 % first, so that distances mean something.
// Options are those of R's loess by other names: `robust=3` is family = "symmetric". Points are never interpolated
// between the vertices of a tree (surface = "direct").
// References: Cleveland & Devlin (1988); Cleveland, Grosse & Shyu (1992).
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mercer/models/smoothing/smoother_model.h"
#include "mercer/smoothing/loess.h"

namespace mercer {

enum class LoessDegree { automatic, constant, linear, quadratic };
constexpr auto words_of(LoessDegree) {
  return std::array{Word{LoessDegree::automatic, "auto"}, Word{LoessDegree::constant, "0"},
                    Word{LoessDegree::linear, "1"}, Word{LoessDegree::quadratic, "2"}};
}

enum class LoessStatistics { automatic, exact, estimated };
constexpr auto words_of(LoessStatistics) {
  return std::array{Word{LoessStatistics::automatic, "auto"}, Word{LoessStatistics::exact, "exact"},
                    Word{LoessStatistics::estimated, "estimated"}};
}

struct LoessOptions {
  double span = 0.75;
  std::optional<double> bandwidth = {};
  LoessDegree degree = LoessDegree::automatic;
  SmoothingShape shape = SmoothingShape::tricube;
  Index robust = 0;
  bool normalize = true;
  LoessStatistics statistics = LoessStatistics::automatic;

  void validate() const;
  /// For points of d columns.
  LocalFitOptions local(Index d) const;
};

std::span<const Option<LoessOptions>> loess_option_table();

class LoessModel final : public SmootherModel {
 public:
  struct Parts {
    LoessOptions options;
    std::vector<double> divisors;  ///< of the columns: points are stored divided
    LocalRegression regression;
    Matrix<double> targets;       ///< n × outputs
    std::vector<double> weights;  ///< of the points
    Matrix<double> robustness;    ///< n × outputs
    std::vector<double> scales;   ///< s, per output
    LoessOperator traces;

    void fields(Fields& visit);
  };
  LoessModel(ModelHead head, Parts parts) : SmootherModel(std::move(head)), parts_(std::move(parts)) {}

  Matrix<double> training_points() const override;
  const Parts& parts() const { return parts_; }

 protected:
  Index dimension() const override { return parts_.regression.dimension(); }
  Matrix<double> means(ConstMatrixView<double> queries, const Run& run) const override;
  SmoothedValues smoothed(ConstMatrixView<double> queries, const Run& run) const override;
  Matrix<double> error_kernels(ConstMatrixView<double> queries, Index output, const Run& run) const override;
  double degrees_of_freedom(Index output) const override;

 private:
  void fields(Fields& visit) override { parts_.fields(visit); }

  Matrix<double> divided(ConstMatrixView<double> queries) const;
  std::vector<double> weights_of(Index output) const;

  Parts parts_;
};

std::unique_ptr<LoessModel> fit_loess_model(const LoessOptions& options, const TrainingData& data, const Run& run = {});

const ModelEntry& loess_entry();

}  // namespace mercer
