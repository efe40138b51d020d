// Support vector regression on any kernel: ε-SVR (`svr`) and ν-SVR (`nusvr`),
//
//   min ½‖w‖² + Σ_i C_i |y_i − f(x_i)|_ε         |z|_ε = max(0, |z| − ε)
//
// ν-SVR finds ε itself, so that a fraction ν of the rows lies outside the tube. Several outputs are machines of their
// own on one kernel matrix (the norms decouple). Targets are standardised before the fit and predictions come back in
// their units; ε is in the target's units, C is for standardised targets.
// References: Schölkopf & Smola (2002), chapter 9.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mercer/expansion/expansion.h"
#include "mercer/models/feature_space_function.h"
#include "mercer/models/model.h"
#include "mercer/models/svm/support_machine.h"
#include "mercer/models/svm/svm_engine.h"

namespace mercer {

struct RegressionSvmOptions : SvmSolverOptions {
  double C = 1;
  bool standardize = true;  ///< targets to mean 0 and variance 1
};
struct SvrOptions : RegressionSvmOptions {
  double epsilon = 0.1;
  void validate() const;
};
struct NuSvrOptions : RegressionSvmOptions {
  double nu = 0.5;
  void validate() const;
};

std::span<const Option<SvrOptions>> svr_option_table();
std::span<const Option<NuSvrOptions>> nusvr_option_table();

class SvrModel final : public FittedModel, public SupportMachine, public Tube, public FeatureSpaceFunction {
 public:
  struct Parts {
    std::string name;  ///< "svr" or "nusvr"
    std::string requested_kernel;
    std::vector<OptionSetting> settings;
    std::vector<std::string> output_names;
    Expansion expansion;
    std::vector<Index> support_rows;
    std::vector<double> widths;  ///< ε per output, in the units of the target
    FitReport report;
  };
  explicit SvrModel(Parts parts) : parts_(std::move(parts)) {}
  static std::unique_ptr<SvrModel> from_state(const ModelState& state, const Run& run);

  std::string_view name() const override { return parts_.name; }
  Task task() const override { return Task::regression; }
  const FitReport& report() const override { return parts_.report; }
  const Kernel& kernel() const override { return parts_.expansion.kernel(); }
  std::vector<std::string> output_names() const override { return parts_.output_names; }
  Matrix<double> predict(const Samples& samples, const Run& run) const override;
  const Expansion* expansion_form() const override { return &parts_.expansion; }
  std::unique_ptr<FittedModel> with_expansion(Expansion expansion, const Run& run) const override;
  ModelState state() const override;

  const Expansion& expansion() const override { return parts_.expansion; }
  const std::vector<Index>& support_rows() const override { return parts_.support_rows; }
  const std::vector<double>& tube_widths() const override { return parts_.widths; }

 private:
  Parts parts_;
};

std::unique_ptr<SvrModel> fit_svr(const Kernel& kernel, const SvrOptions& options, const TrainingData& data,
                                  const Run& run = {});
std::unique_ptr<SvrModel> fit_nusvr(const Kernel& kernel, const NuSvrOptions& options, const TrainingData& data,
                                    const Run& run = {});

const ModelEntry& svr_entry();
const ModelEntry& nusvr_entry();

}  // namespace mercer
