// VotedPerceptron: every function that a perceptron went through votes for a class, with as many votes as the samples
// it got right in a row,
//
//   votes_c(x) = Σ_t v_t [class of f_t(x) = c] / Σ_t v_t,   f_t = f_{t−1} + Σ_o change_o (k(z_t, x) + s)
//
// s is the square of the radius, or 0 without offset. f_t(x) for all t takes one pass over the changes, once the kernel
// values of x with all centres are there. No kernel expansion: the votes are not linear in the f_t.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mercer/kernels/prepared.h"
#include "mercer/models/model.h"

namespace mercer {

class VotedPerceptron final : public FittedModel {
 public:
  /// One change of one function's coefficient of one centre.
  struct Step {
    Index center = 0;
    Index output = 0;
    double change = 0;
    double votes = 0;  ///< of the functions once this change is made; 0 where more changes follow at once
  };
  struct Parts {
    Kernel kernel;
    Samples centers;
    double offset_scale = 0;  ///< s
    std::vector<Step> steps;

    void fields(Fields& visit);
  };
  /// InvalidArgument for steps that name no center or no function, or without any vote.
  VotedPerceptron(ModelHead head, Parts parts, const Run& run);

  Task task() const override { return Task::classification; }
  const Kernel& kernel() const override { return parts_.kernel; }
  std::vector<std::string> decision_names() const override;

  const Parts& parts() const { return parts_; }

 private:
  /// Predictions: the class of most votes; of equal ones the first. Decisions: of two classes the votes for the
  /// second minus those for the first, in [−1, 1]; of more the share of every class.
  Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const override;
  void fields(Fields& visit) override { parts_.fields(visit); }

  Matrix<double> shares(const Samples& samples, const Run& run) const;
  void vote(std::span<const double> kernel_row, std::span<double> values, std::span<double> votes) const;

  Parts parts_;
  std::shared_ptr<const PreparedKernel> prepared_;
};

}  // namespace mercer
