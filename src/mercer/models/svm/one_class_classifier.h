// A classifier of one-class machines: one per class, of its rows alone (one_class.h), and the class whose machine sees a sample
// farthest inside answers. Values are distances to the boundaries in feature space, so that they compare:
//
//   plane   (Σ β_i k(x_i, x) − ρ)/‖w‖                (with ‖w‖ = 0 the value itself)
//   ball    R − ‖Φ(x) − c‖
//
// Classes do not see each other: one more class is one more machine, the others stay as they are, and a sample that no machine
// has inside may be answered with none of them. Two classes have one decision value, that of the second less that of the
// first. Reference: Schölkopf & Smola (2002), problem 8.9.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mercer/base/words.h"
#include "mercer/models/svm/one_class.h"

namespace mercer {

enum class OneClassShape { plane, ball };
constexpr auto words_of(OneClassShape) {
  return std::array{Word{OneClassShape::plane, "plane"}, Word{OneClassShape::ball, "ball"}};
}

/// What is said of a sample that is outside for all machines.
enum class OutsideAnswer { nearest, none };
constexpr auto words_of(OutsideAnswer) {
  return std::array{Word{OutsideAnswer::nearest, "nearest"}, Word{OutsideAnswer::none, "none"}};
}

struct OneClassClassifierOptions : SvmSolverOptions {
  double nu = 0.05;
  std::optional<double> outlier_rate = {};
  OneClassShape shape = OneClassShape::plane;
  OutsideAnswer outside = OutsideAnswer::nearest;

  void validate() const;
};

std::span<const Option<OneClassClassifierOptions>> one_class_classifier_option_table();

class OneClassClassifier final : public FittedModel, public SupportMachine {
 public:
  struct Parts {
    OneClassClassifierOptions options;
    Expansion expansion = {};              ///< one output per class
    std::vector<double> sizes = {};        ///< per class: ‖w‖ of a plane, R² of a ball
    std::vector<Index> support_rows = {};  ///< of the training rows, one per centre

    void fields(Fields& visit);
  };
  OneClassClassifier(ModelHead head, Parts parts) : FittedModel(std::move(head)), parts_(std::move(parts)) {}

  Task task() const override { return Task::classification; }
  const Kernel& kernel() const override { return parts_.expansion.kernel(); }
  std::vector<std::string> decision_names() const override;
  const Expansion& expansion() const override { return parts_.expansion; }
  const std::vector<Index>& support_rows() const override { return parts_.support_rows; }
  const Parts& parts() const { return parts_; }

  /// Samples × classes: how far inside of every class, negative outside.
  Matrix<double> distances(const Samples& samples, const Run& run) const;

 private:
  Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const override;
  void fields(Fields& visit) override { parts_.fields(visit); }

  Parts parts_;
};

/// Errors as in fit_one_class() and read_labels(); InvalidArgument for kernels that depend on the rows as a set.
std::unique_ptr<OneClassClassifier> fit_one_class_classifier(const Kernel& kernel,
                                                             const OneClassClassifierOptions& options,
                                                             const TrainingData& data, const Run& run = {});

const ModelEntry& one_class_classifier_entry();

}  // namespace mercer
