// Smaller models: the functions of a fitted model written by fewer centres (reduced sets), so that predictions cost less
// and model files shrink. Any model whose functions are a kernel expansion: svc, svr, one-class, lssvm, ridge, kfd, …;
// of a gp the mean. What is lost is known: ‖f − f'‖ in the kernel's space, which bounds |f(x) − f'(x)| by
// ‖f − f'‖ √k(x, x) everywhere. References: Schölkopf & Smola (2002), chapter 18; Burges (1996).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/models/model.h"

namespace mercer {

/// construct makes points up (numeric samples, differentiable kernels); the others choose among the centres. automatic:
/// construct where it is possible, greedy elsewhere.
enum class CompressMethod { automatic, construct, clusters, greedy, deletion, kpca, l1, regression };
std::string_view to_string(CompressMethod method);
/// By name ("construct", "delete", "svr", …); InvalidArgument with the list of names.
CompressMethod compress_method_named(std::string_view name);
std::vector<std::string> compress_method_names();

/// shared: all outputs use all centres. each: every output has centres of its own, so that it can be evaluated alone.
enum class CenterSharing { shared, each };

struct CompressOptions {
  Index size = 50;  ///< centres; of every output where they are not shared
  CompressMethod method = CompressMethod::automatic;
  CenterSharing sharing = CenterSharing::shared;
  Index refinement = 300;  ///< evaluations of the joint refinement of constructed points; 0: none

  void validate() const;
};

struct CompressReport {
  CompressMethod method = CompressMethod::automatic;  ///< as it was chosen
  Index centers_before = 0;
  Index centers_after = 0;
  struct Output {
    std::string name;
    double norm = 0;          ///< ‖f‖ (kernel part)
    double error = 0;         ///< ‖f − f'‖
    double offset_shift = 0;  ///< what the refit added to the constant
  };
  std::vector<Output> outputs;
  double first_error = 0;  ///< √Σ‖f − f'‖² before the joint refinement
  Index evaluations = 0;   ///< of the joint refinement
  std::vector<std::string> notes;

  double norm() const;   ///< √Σ‖f‖²
  double error() const;  ///< √Σ‖f − f'‖²
};

struct CompressedModel {
  std::unique_ptr<FittedModel> model;
  CompressReport report;
};

/// `data`, where given, refits the constants of the functions: classification with labels: every machine makes as few
/// errors as it can (kept only where the model as a whole makes no more), novelty: as many samples are inside as
/// before, otherwise: the mean difference of f and f' vanishes. InvalidArgument where the model is no expansion, the
/// kernel is not positive definite, or the method does not go with samples and kernel.
CompressedModel compress(const FittedModel& model, const CompressOptions& options, const TrainingData* data,
                         const Run& run = {});

/// How well two models agree on samples.
struct CompressAgreement {
  Index rows = 0;
  std::optional<double> same_labels;    ///< the fraction of equal answers: classification and novelty
  double rmse = 0;                      ///< between decision values, or predictions where there are none
  std::optional<double> errors_before;  ///< of labels, where they are known: as fractions
  std::optional<double> errors_after;
};
CompressAgreement agreement(const FittedModel& before, const FittedModel& after, const Samples& samples,
                            const Targets* targets, const Run& run = {});

}  // namespace mercer
