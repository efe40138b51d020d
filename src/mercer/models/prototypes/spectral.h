// Spectral clustering: kernel values are the weights of a graph, and clusters are its parts that hold together. The
// leading eigenvectors of the normalized affinities
//
//   D^-½ K D^-½ v = λ v,   D_ii = Σ_j w_j k(x_i, x_j)       (with weights w: W^½ D^-½ K D^-½ W^½)
//
// are coordinates u_i of the samples; k-means sorts the rows u_i / ‖u_i‖. New samples have those of Nyström,
//
//   u_c(x) ∝ (1/λ_c) Σ_i w_i k(x, x_i) u_ic / √D_ii
//
// where the factor D(x)^-½ that is the same for all c goes with the norm: an Expansion, a norm, the nearest mean.
// References: Ng, Jordan & Weiss (2002), On spectral clustering; von Luxburg (2007), A tutorial on spectral clustering;
// Bengio et al. (2004) for new samples.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mercer/expansion/expansion.h"
#include "mercer/models/model.h"

namespace mercer {

struct SpectralOptions {
  Index clusters = 8;
  Index components = 0;  ///< eigenvectors; 0: as many as clusters
  Index restarts = 10;
  Index max_iterations = 300;
  double tolerance = 1e-7;
  double memory_mb = 0;  ///< 0: half of the machine's memory

  void validate() const;
};

std::span<const Option<SpectralOptions>> spectral_option_table();

class SpectralModel final : public FittedModel {
 public:
  struct Parts {
    Expansion coordinates;  ///< u, before the norm
    Matrix<double> means;   ///< clusters × coordinates
    std::vector<double> eigenvalues;

    void fields(Fields& visit);
  };
  /// InvalidArgument where the parts do not fit together.
  SpectralModel(ModelHead head, Parts parts);

  Task task() const override { return Task::clustering; }
  const Kernel& kernel() const override { return parts_.coordinates.kernel(); }
  std::vector<std::string> decision_names() const override;
  const Expansion* expansion_form() const override { return &parts_.coordinates; }
  std::unique_ptr<FittedModel> with_expansion(Expansion expansion, const Run& run) const override;

  const Parts& parts() const { return parts_; }
  /// n × coordinates, rows of norm 1 (0 for a sample whose kernel values with all training samples are 0).
  Matrix<double> embed(const Samples& samples, const Run& run) const;

 private:
  /// Decisions: squared distances to the means of the clusters, on the unit sphere of the coordinates.
  Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const override;
  void fields(Fields& visit) override { parts_.fields(visit); }

  Matrix<double> distances(const Samples& samples, const Run& run) const;

  Parts parts_;
};

/// Targets are not used. Weights count as repetitions. DataError where a kernel value is negative: a graph has no
/// negative weights. Cost: one pass over K per product, some tens of them; up to 500 rows by LAPACK.
std::unique_ptr<SpectralModel> fit_spectral(const Kernel& kernel, const SpectralOptions& options,
                                            const TrainingData& data, const Run& run = {});

const ModelEntry& spectral_entry();

}  // namespace mercer
