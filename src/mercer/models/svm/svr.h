// Support vector regression on any kernel: ε-SVR (`svr`) and ν-SVR (`nusvr`),
//
//   min ½‖w‖² + Σ_i C_i |y_i − f(x_i)|_ε         |z|_ε = max(0, |z| − ε)
//
// with f = ⟨w, Φ⟩ + b, or for svr with other functions in place of b (semiparametric_machine.h).
//
// ν-SVR finds ε itself, so that a fraction ν of the rows lies outside the tube; its tube may have a shape, half of its width
// Σ_q ε_q ζ_q(x) (tube_shape.h), or one side only, and Huber's loss may take its place, whose scale is found
// (solvers/convex/huber_scale.h). ε may be given row by row, errors may count as a whole
// (solvers/svm/overall_tube.h), and there may be no slack: every row within the tube then. Several outputs are machines of their
// own on one kernel matrix (the norms decouple). Targets are standardised before the fit and predictions come back in
// their units; ε is in the target's units, C is for standardised targets.
// References: Schölkopf & Smola (2002), chapter 9.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "mercer/expansion/expansion.h"
#include "mercer/models/feature_space_function.h"
#include "mercer/models/model.h"
#include "mercer/models/svm/semiparametric_options.h"
#include "mercer/models/svm/support_machine.h"
#include "mercer/models/svm/svm_solver_options.h"
#include "mercer/models/svm/tube_shape.h"

namespace mercer {

struct RegressionSvmOptions : SvmSolverOptions {
  double C = 2;
  bool standardize = true;  ///< targets to mean 0 and variance 1
};
/// What errors beyond the tube cost: C times their size, or more than anything (every row is within).
enum class TubeSlack { linear, none };
constexpr auto words_of(TubeSlack) {
  return std::array{Word{TubeSlack::linear, "linear"}, Word{TubeSlack::none, "none"}};
}
/// Whether every row has a tube of its own, or the mean error of all one.
enum class TubeErrors { each, overall };
constexpr auto words_of(TubeErrors) {
  return std::array{Word{TubeErrors::each, "each"}, Word{TubeErrors::overall, "overall"}};
}
/// What errors cost: their size beyond a tube, or Huber's loss, their square up to a scale σ and their size beyond.
enum class NuSvrLoss { insensitive, huber };
constexpr auto words_of(NuSvrLoss) {
  return std::array{Word{NuSvrLoss::insensitive, "insensitive"}, Word{NuSvrLoss::huber, "huber"}};
}
/// Where the function is to be: amid the rows, above all but a fraction ν of them, below.
enum class TubeSides { both, above, below };
constexpr auto words_of(TubeSides) {
  return std::array{Word{TubeSides::both, "both"}, Word{TubeSides::above, "above"}, Word{TubeSides::below, "below"}};
}

struct SvrOptions : RegressionSvmOptions, SemiparametricOptions {
  std::optional<double> epsilon = {};  ///< in target units; a tenth of the standardised ones where not given
  TubeErrors errors = TubeErrors::each;
  TubeSlack slack = TubeSlack::linear;
  /// Rows with slack in tubes of their own: the usual machine, of whatever functions.
  bool has_usual_tube() const { return errors == TubeErrors::each && slack == TubeSlack::linear; }
  void validate() const;
};
struct NuSvrOptions : RegressionSvmOptions {
  double nu = 0.5;
  NuSvrLoss loss = NuSvrLoss::insensitive;
  TubeShape tube = {};
  TubeFractions tube_nu;  ///< of each function of the tube; none: nu for all
  TubeSides sides = TubeSides::both;
  TubeSlack slack = TubeSlack::linear;
  bool has_usual_tube() const {
    return loss == NuSvrLoss::insensitive && tube.is_constant() && sides == TubeSides::both &&
           slack == TubeSlack::linear;
  }
  void validate() const;
};

std::span<const Option<SvrOptions>> svr_option_table();
std::span<const Option<NuSvrOptions>> nusvr_option_table();

/// Of svr or of nusvr.
using AnySvrOptions = std::variant<SvrOptions, NuSvrOptions>;
inline const RegressionSvmOptions& shared_options(const AnySvrOptions& options) {
  if (const auto* const nu = std::get_if<NuSvrOptions>(&options)) {
    return *nu;
  }
  return std::get<SvrOptions>(options);
}
inline bool has_usual_tube(const AnySvrOptions& options) {
  return std::visit([](const auto& own) { return own.has_usual_tube(); }, options);
}
/// The functions beside the kernel.
inline ParametricPart parametric_part(const AnySvrOptions& options) {
  const auto* const svr = std::get_if<SvrOptions>(&options);
  return svr != nullptr ? svr->parametric : ParametricPart(ParametricPart::constant);
}

class SvrModel final : public FittedModel, public SupportMachine, public Tube, public FeatureSpaceFunction {
 public:
  struct Parts {
    AnySvrOptions options;
    Expansion expansion = {};
    std::vector<Index> support_rows = {};
    std::vector<double> widths = {};  ///< ε per output, in the units of the target; the mean where it differs
    std::vector<std::vector<double>> tube = {};  ///< per output the ε_q of a tube of a given shape; else empty
    std::vector<double> scales = {};  ///< of loss = huber: σ per output, in the units of the target; else empty
    std::vector<double> given = {};   ///< widths at the support vectors where each row has its own; else empty

    /// Of every row the same tube with slack, two-sided.
    bool is_usual() const { return has_usual_tube(options) && given.empty(); }

    void fields(Fields& visit);
  };
  SvrModel(ModelHead head, Parts parts) : FittedModel(std::move(head)), parts_(std::move(parts)) {}

  Task task() const override { return Task::regression; }
  bool is_affine_in_feature_space() const override { return !parts_.expansion.parametric_part().uses_columns(); }
  const Kernel& kernel() const override { return parts_.expansion.kernel(); }
  const Expansion* expansion_form() const override { return &parts_.expansion; }
  std::unique_ptr<FittedModel> with_expansion(Expansion expansion, const Run& run) const override;

  const Expansion& expansion() const override { return parts_.expansion; }
  const std::vector<Index>& support_rows() const override { return parts_.support_rows; }
  const std::vector<double>& tube_widths() const override { return parts_.widths; }
  Matrix<double> support_widths() const override;
  bool has_width_function() const override { return parts_.given.empty(); }
  Matrix<double> widths_at(const Samples& samples) const override;
  const Parts& parts() const { return parts_; }

 private:
  Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const override;
  void fields(Fields& visit) override { parts_.fields(visit); }

  Parts parts_;
};

std::unique_ptr<SvrModel> fit_svr(const Kernel& kernel, const SvrOptions& options, const TrainingData& data,
                                  const Run& run = {});
std::unique_ptr<SvrModel> fit_nusvr(const Kernel& kernel, const NuSvrOptions& options, const TrainingData& data,
                                    const Run& run = {});

const ModelEntry& svr_entry();
const ModelEntry& nusvr_entry();

}  // namespace mercer
