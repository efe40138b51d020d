// The table of models: adding one adds one line.
#include <algorithm>
#include <array>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/density/histogram.h"
#include "mercer/models/density/kde.h"
#include "mercer/models/density/kde_classifier.h"
#include "mercer/models/density/knn_density.h"
#include "mercer/models/discriminant/kfd.h"
#include "mercer/models/falkon/falkon.h"
#include "mercer/models/falkon/falkon_classifier.h"
#include "mercer/models/features/kcca.h"
#include "mercer/models/features/kernel_map.h"
#include "mercer/models/features/kfa.h"
#include "mercer/models/features/kpca.h"
#include "mercer/models/features/opca.h"
#include "mercer/models/features/pursuit.h"
#include "mercer/models/gp/gp.h"
#include "mercer/models/gp/gpc.h"
#include "mercer/models/kernel_machine/klr.h"
#include "mercer/models/kernel_machine/l1vm.h"
#include "mercer/models/kernel_machine/l2vm.h"
#include "mercer/models/laplacian_process/lapc.h"
#include "mercer/models/laplacian_process/lapr.h"
#include "mercer/models/linear/least_squares.h"
#include "mercer/models/linear/linear_svm_model.h"
#include "mercer/models/mapped/map_logistic.h"
#include "mercer/models/mapped/map_model.h"
#include "mercer/models/mapped/map_ridge.h"
#include "mercer/models/mapped/map_svc.h"
#include "mercer/models/model.h"
#include "mercer/models/multiple_kernel/mklridge.h"
#include "mercer/models/multiple_kernel/mklsvc.h"
#include "mercer/models/multiple_kernel/mklsvr.h"
#include "mercer/models/prototypes/bayes_point.h"
#include "mercer/models/prototypes/class_mean.h"
#include "mercer/models/prototypes/cover.h"
#include "mercer/models/prototypes/kmeans.h"
#include "mercer/models/prototypes/kmedoids.h"
#include "mercer/models/prototypes/knn.h"
#include "mercer/models/prototypes/perceptron.h"
#include "mercer/models/prototypes/spectral.h"
#include "mercer/models/relevance/rvc.h"
#include "mercer/models/relevance/rvr.h"
#include "mercer/models/ridge/lssvm.h"
#include "mercer/models/ridge/ridge.h"
#include "mercer/models/risk/risk_machine.h"
#include "mercer/models/smoothing/loess.h"
#include "mercer/models/smoothing/nadaraya_watson.h"
#include "mercer/models/svm/kqr.h"
#include "mercer/models/svm/one_class.h"
#include "mercer/models/svm/one_class_classifier.h"
#include "mercer/models/svm/svc.h"
#include "mercer/models/svm/svr.h"

namespace mercer {

std::optional<Kernel> kernel_for(const ModelEntry& entry, std::string_view spec) {
  if (!entry.default_kernel.empty()) {
    return parse_kernel(spec.empty() ? entry.default_kernel : std::string(spec));
  }
  if (!spec.empty()) {
    throw InvalidArgument(entry.name + " has no kernel: everything it is made of is an option, see mercer models " +
                          entry.name);
  }
  return {};
}

std::span<const ModelEntry* const> model_registry() {
  static const std::array entries = {&ridge_entry(),
                                     &lssvm_entry(),
                                     &least_squares_entry(),
                                     &gp_entry(),
                                     &gpc_entry(),
                                     &svc_entry(),
                                     &nusvc_entry(),
                                     &linearsvc_entry(),
                                     &falkon_entry(),
                                     &falkonc_entry(),
                                     &rvr_entry(),
                                     &rvc_entry(),
                                     &l1vmr_entry(),
                                     &l1vmc_entry(),
                                     &l2vmr_entry(),
                                     &l2vmc_entry(),
                                     &klr_entry(),
                                     &riskr_entry(),
                                     &riskc_entry(),
                                     &mklsvc_entry(),
                                     &mklsvr_entry(),
                                     &mklridge_entry(),
                                     &lapr_entry(),
                                     &lapc_entry(),
                                     &mapridge_entry(),
                                     &maplogit_entry(),
                                     &mapsvc_entry(),
                                     &svr_entry(),
                                     &nusvr_entry(),
                                     &kqr_entry(),
                                     &linearsvr_entry(),
                                     &one_class_entry(),
                                     &svdd_entry(),
                                     &one_class_classifier_entry(),
                                     &kfd_entry(),
                                     &knn_classifier_entry(),
                                     &knn_regressor_entry(),
                                     &class_mean_entry(),
                                     &medoid_classifier_entry(),
                                     &perceptron_entry(),
                                     &bayes_point_entry(),
                                     &kpca_entry(),
                                     &kernel_map_entry(),
                                     &kfa_entry(),
                                     &pursuit_entry(),
                                     &opca_entry(),
                                     &kcca_entry(),
                                     &fourier_entry(),
                                     &nystroem_entry(),
                                     &sinks_entry(),
                                     &sketch_entry(),
                                     &chi2map_entry(),
                                     &kmeans_entry(),
                                     &kmedoids_entry(),
                                     &cover_entry(),
                                     &spectral_entry(),
                                     &kde_entry(),
                                     &histogram_entry(),
                                     &knn_density_entry(),
                                     &kde_classifier_entry(),
                                     &loess_entry(),
                                     &nadaraya_watson_entry(),
                                     &nadaraya_watson_classifier_entry()};
  return entries;
}

const ModelEntry* look_up_model(std::string_view name) {
  const auto found = std::ranges::find_if(model_registry(), [&](const ModelEntry* entry) {
    return entry->name == name || std::ranges::find(entry->aliases, name) != entry->aliases.end();
  });
  return found == model_registry().end() ? nullptr : *found;
}

const ModelEntry& find_model(std::string_view name) {
  if (const ModelEntry* entry = look_up_model(name)) {
    return *entry;
  }
  std::vector<std::string> known;
  for (const ModelEntry* entry : model_registry()) {
    known.push_back(entry->name);
    known.insert(known.end(), entry->aliases.begin(), entry->aliases.end());
  }
  throw InvalidArgument("there is no model '" + std::string(name) + "'." + did_you_mean(name, known) +
                        " The models are " + join(known, ", ") + ".");
}

}  // namespace mercer
