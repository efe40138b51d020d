// Support vector classifiers on any kernel: C-SVC (`svc`) and ν-SVC (`nusvc`),
//
//   min ½‖w‖² + Σ_i C_i ξ_i,   y_i f(x_i) ≥ 1 − ξ_i,  ξ ≥ 0          C_i = C · class weight · sample weight
//
// with linear or squared slack, or none (hard margin); for more than two classes by two-class machines (class_code.h).
// Probabilities are Platt's sigmoids, fitted to decision values of held-out folds that share the kernel matrix with the
// fit and start from its solution, coupled over the pairs (Wu, Lin & Weng 2004).
// References: Schölkopf & Smola (2002), chapter 7; Chang & Lin (2011).
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "mercer/expansion/expansion.h"
#include "mercer/models/classes/class_code.h"
#include "mercer/models/classes/class_weights.h"
#include "mercer/models/classes/coded_classes.h"
#include "mercer/models/classes/platt.h"
#include "mercer/models/feature_space_function.h"
#include "mercer/models/model.h"
#include "mercer/models/svm/semiparametric_options.h"
#include "mercer/models/svm/support_machine.h"
#include "mercer/models/svm/svm_machine.h"
#include "mercer/models/svm/svm_solver_options.h"

namespace mercer {

/// What svc and nusvc share.
struct ClassifierOptions : SvmSolverOptions {
  ClassWeights class_weight;
  Multiclass multiclass = Multiclass::one_vs_one;
  CodeWords code;  ///< of Multiclass::code; random where none are given
  CodeDecoding decoding = CodeDecoding::usual;
  bool probability = false;
  double threshold = 0;  ///< two classes only: decision values of it and above mean the second class
  /// Declines to answer where |f − threshold| is less (two classes) or the best score leads the second by less.
  double reject = 0;

  /// InvalidArgument where the threshold is moved and there is more than one decision value to move it on.
  void require_usable_threshold(const char* model, const ClassCode& class_code) const;
};

/// What margin errors cost: C times the slack, C times its square, more than anything (a hard margin), or C times the
/// largest slack of every group of rows (slack_groups.h).
enum class SvcSlack { linear, squared, none, group };
constexpr auto words_of(SvcSlack) {
  return std::array{Word{SvcSlack::linear, "linear"}, Word{SvcSlack::squared, "squared"}, Word{SvcSlack::none, "none"},
                    Word{SvcSlack::group, "group"}};
}

/// By its dual, or in the coefficients themselves (solvers/convex/primal_svc.h).
enum class SvcFormulation { dual, primal };
constexpr auto words_of(SvcFormulation) {
  return std::array{Word{SvcFormulation::dual, "dual"}, Word{SvcFormulation::primal, "primal"}};
}

struct SvcOptions : ClassifierOptions, SemiparametricOptions {
  double C = 1;
  SvcSlack slack = SvcSlack::linear;
  SvcFormulation formulation = SvcFormulation::dual;
  bool uncertain = false;  ///< targets in [−1, 1]: the sign is the label, the size how sure it is (problem 7.11)
  void validate() const;
};

/// Where ν exceeds twice the share of a machine's lighter class: an error, or the heavier class.
enum class InfeasibleNu { refuse, limit };
constexpr auto words_of(InfeasibleNu) {
  return std::array{Word{InfeasibleNu::refuse, "refuse"}, Word{InfeasibleNu::limit, "limit"}};
}

/// A slack per row, or one per group of rows.
enum class NuSvcSlack { linear, group };
constexpr auto words_of(NuSvcSlack) {
  return std::array{Word{NuSvcSlack::linear, "linear"}, Word{NuSvcSlack::group, "group"}};
}

struct NuSvcOptions : ClassifierOptions {
  double nu = 0.5;
  NuSvcSlack slack = NuSvcSlack::linear;
  InfeasibleNu infeasible = InfeasibleNu::refuse;
  std::optional<double> hull =
      {};  ///< in place of ν: the bound μ of reduced convex hulls (solvers/svm/reduced_hulls.h)
  void validate() const;
};

std::span<const Option<SvcOptions>> svc_option_table();
std::span<const Option<NuSvcOptions>> nusvc_option_table();

/// Of svc or of nusvc.
using AnySvcOptions = std::variant<SvcOptions, NuSvcOptions>;
inline const ClassifierOptions& shared_options(const AnySvcOptions& options) {
  if (const auto* const nu = std::get_if<NuSvcOptions>(&options)) {
    return *nu;
  }
  return std::get<SvcOptions>(options);
}
/// The functions beside the kernel.
inline ParametricPart parametric_part(const AnySvcOptions& options) {
  const auto* const svc = std::get_if<SvcOptions>(&options);
  return svc != nullptr ? svc->parametric : ParametricPart(ParametricPart::constant);
}

/// A fitted classifier, whichever way its machines were found.
class SvcModel final : public FittedModel,
                       public SupportMachine,
                       public ClassMachines,
                       public CodedClasses,
                       public FeatureSpaceFunction {
 public:
  struct Parts {
    AnySvcOptions options;
    ClassCode code = {};
    Expansion expansion = {};                 ///< one output per machine
    std::vector<Index> support_rows = {};     ///< of the training samples, one per centre
    std::vector<Index> support_classes = {};  ///< likewise
    std::vector<PlattSigmoid> sigmoids = {};  ///< one per machine, or none
    std::vector<MachineFacts> facts = {};

    void fields(Fields& visit);
  };
  SvcModel(ModelHead head, Parts parts) : FittedModel(std::move(head)), parts_(std::move(parts)) {}

  Task task() const override { return Task::classification; }
  const Kernel& kernel() const override { return parts_.expansion.kernel(); }
  std::vector<std::string> decision_names() const override { return parts_.code.names(classes()); }
  double own_threshold() const override { return shared_options(parts_.options).threshold; }
  double reject_margin() const override { return shared_options(parts_.options).reject; }
  bool has_probabilities() const override { return !parts_.sigmoids.empty(); }
  const Expansion* expansion_form() const override { return &parts_.expansion; }
  std::unique_ptr<FittedModel> with_expansion(Expansion expansion, const Run& run) const override;
  bool is_affine_in_feature_space() const override {
    const ClassifierOptions& options = shared_options(parts_.options);
    return options.threshold == 0 && options.reject == 0 && !parts_.expansion.parametric_part().uses_columns();
  }

  const Expansion& expansion() const override { return parts_.expansion; }
  const ClassCode& code() const override { return parts_.code; }
  /// Rows of the training samples that are support vectors, ascending, and their classes.
  const std::vector<Index>& support_rows() const override { return parts_.support_rows; }
  const std::vector<Index>& support_classes() const override { return parts_.support_classes; }
  const std::vector<PlattSigmoid>& sigmoids() const { return parts_.sigmoids; }
  const std::vector<MachineFacts>& machine_facts() const override { return parts_.facts; }
  const Parts& parts() const { return parts_; }

 private:
  Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const override;
  void fields(Fields& visit) override { parts_.fields(visit); }

  /// Probabilities of the classes by those of the machines.
  Matrix<double> coupled(ConstMatrixView<double> values, const Run& run) const;

  Parts parts_;
};

/// InvalidArgument for options that do not fit the data (an infeasible ν says its range), DataError for one class only,
/// unusable weights or targets, NumericalError where a hard margin is asked for and the data are not separable.
std::unique_ptr<SvcModel> fit_svc(const Kernel& kernel, const SvcOptions& options, const TrainingData& data,
                                  const Run& run = {});
std::unique_ptr<SvcModel> fit_nusvc(const Kernel& kernel, const NuSvcOptions& options, const TrainingData& data,
                                    const Run& run = {});

const ModelEntry& svc_entry();
const ModelEntry& nusvc_entry();

}  // namespace mercer
