// Nadaraya-Watson: averages of the targets in a window around the query, for numbers (`nw`) and classes (`nwc`).
//
//   nw    f(x) = Σ_i l_i(x) y_i,   σ(x)² = Σ_i l_i(x) e_i²  with e_i the leave-one-out residuals, for bands
//   nwc   P(class c | x) = Σ_i l_i(x) [y_i = c]
//
// Not a kernel machine: nothing is solved, and the window need not be positive definite.
// References: Nadaraya (1964), Watson (1964); Murphy (2012), 14.7.4.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mercer/models/smoothing/smoother_model.h"
#include "mercer/models/smoothing/window_widths.h"
#include "mercer/smoothing/window_average.h"

namespace mercer {

struct NadarayaWatsonOptions {
  WindowWidths bandwidth = WindowRule::cross_validated;
  SmoothingShape shape = SmoothingShape::gaussian;

  void validate(std::string_view model) const;
};

std::span<const Option<NadarayaWatsonOptions>> nadaraya_watson_option_table();

/// The points of a window average, as models keep them.
struct WindowPoints {
  Matrix<double> points;           ///< n × d, as given
  std::vector<double> weights;     ///< of the points
  std::vector<double> bandwidths;  ///< of the columns
  WindowAverage average;           ///< over the points in units of the bandwidths

  /// None yet: only to be assigned to.
  WindowPoints() = default;
  WindowPoints(Matrix<double> given, std::vector<double> given_weights, std::vector<double> given_bandwidths,
               SmoothingShape shape);
  Matrix<double> in_bandwidths(ConstMatrixView<double> queries) const;
  /// Of both models; the shape of the window is one of their options.
  void fields(Fields& visit);
};

class NadarayaWatsonModel final : public SmootherModel {
 public:
  struct Parts {
    WindowPoints window;
    Matrix<double> targets;            ///< n × outputs
    Matrix<double> squared_residuals;  ///< of leave-one-out, n × outputs

    void fields(Fields& visit);
  };
  NadarayaWatsonModel(ModelHead head, Parts parts) : SmootherModel(std::move(head)), parts_(std::move(parts)) {}

  Matrix<double> training_points() const override { return Matrix<double>::copy_of(parts_.window.points.view()); }

  const Parts& parts() const { return parts_; }

 protected:
  Index dimension() const override { return parts_.window.points.columns(); }
  Matrix<double> means(ConstMatrixView<double> queries, const Run& run) const override;
  SmoothedValues smoothed(ConstMatrixView<double> queries, const Run& run) const override;
  Matrix<double> error_kernels(ConstMatrixView<double> queries, Index output, const Run& run) const override;

 private:
  void fields(Fields& visit) override { parts_.fields(visit); }

  Parts parts_;
};

class NadarayaWatsonClassifier final : public FittedModel, public TrainingPoints {
 public:
  struct Parts {
    WindowPoints window;
    std::vector<Index> codes;  ///< number of the class per point

    void fields(Fields& visit);
  };
  NadarayaWatsonClassifier(ModelHead head, Parts parts);

  Task task() const override { return Task::classification; }
  bool has_kernel() const override { return false; }
  bool has_probabilities() const override { return true; }
  Matrix<double> training_points() const override { return Matrix<double>::copy_of(parts_.window.points.view()); }

  const Parts& parts() const { return parts_; }

 private:
  /// Predictions: the class of the largest share; of equal ones the first.
  Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const override;
  void fields(Fields& visit) override { parts_.fields(visit); }

  Matrix<double> shares(const Samples& samples, const Run& run) const;

  Parts parts_;
  Matrix<double> indicators_;  // n × classes
};

std::unique_ptr<NadarayaWatsonModel> fit_nadaraya_watson(const NadarayaWatsonOptions& options, const TrainingData& data,
                                                         const Run& run = {});
std::unique_ptr<NadarayaWatsonClassifier> fit_nadaraya_watson_classifier(const NadarayaWatsonOptions& options,
                                                                         const TrainingData& data, const Run& run = {});

const ModelEntry& nadaraya_watson_entry();
const ModelEntry& nadaraya_watson_classifier_entry();

}  // namespace mercer
