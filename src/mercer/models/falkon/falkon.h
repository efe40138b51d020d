// falkon: kernel ridge regression on a subset of the rows as landmarks, for many rows. The function of the landmarks' span,
// plus an unpenalised constant, that minimises Σ_i w_i (y_i − f(x_i) − b)² + λ‖f‖², by preconditioned conjugate gradients
// in bounded memory (solvers/falkon/falkon.h). With all rows as landmarks it is `ridge`.
// Reference: Rudi, Carratino & Rosasco (2017), FALKON: an optimal large scale kernel method.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mercer/expansion/expansion.h"
#include "mercer/models/falkon/falkon_machine.h"
#include "mercer/models/model.h"

namespace mercer {

struct FalkonRegressionOptions : FalkonMachineOptions {
  /// Throws InvalidArgument.
  void validate() const;
};

std::span<const Option<FalkonRegressionOptions>> falkon_option_table();

class FalkonModel final : public FittedModel {
 public:
  struct Parts {
    Expansion expansion;  ///< over the landmarks

    void fields(Fields& visit);
  };
  FalkonModel(ModelHead head, Parts parts) : FittedModel(std::move(head)), parts_(std::move(parts)) {}

  Task task() const override { return Task::regression; }
  const Kernel& kernel() const override { return parts_.expansion.kernel(); }
  const Expansion* expansion_form() const override { return &parts_.expansion; }
  std::unique_ptr<FittedModel> with_expansion(Expansion expansion, const Run& run) const override;

  const Parts& parts() const { return parts_; }

 private:
  Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const override;
  void fields(Fields& visit) override { parts_.fields(visit); }

  Parts parts_;
};

/// About `iterations` · n M (d + 2 outputs) + M³ operations; memory beyond the data M² doubles and what the stored kernel
/// values take, never more than options.memory_mb. Rows of weight 0 are left out. A stop leaves the best so far, with the
/// status stopped. InvalidArgument for kernels that are not positive definite, DataError for unusable targets.
std::unique_ptr<FalkonModel> fit_falkon(const Kernel& kernel, const FalkonRegressionOptions& options,
                                        const TrainingData& data, const Run& run = {});

const ModelEntry& falkon_entry();

}  // namespace mercer
