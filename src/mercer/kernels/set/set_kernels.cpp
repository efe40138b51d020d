#include "mercer/kernels/set/set_kernels.h"

#include "mercer/kernels/set/best_match.h"
#include "mercer/kernels/set/dice.h"
#include "mercer/kernels/set/mean_map.h"
#include "mercer/kernels/set/pyramid_match.h"
#include "mercer/kernels/set/set_intersection.h"
#include "mercer/kernels/set/subsets.h"
#include "mercer/kernels/set/tanimoto.h"

namespace mercer {

std::vector<const KernelEntry*> set_kernels() {
  return {
      &set_intersection_entry(), &subsets_entry(),    &tanimoto_entry(),      &dice_entry(),
      &mean_map_entry(),         &best_match_entry(), &pyramid_match_entry(),
  };
}

}  // namespace mercer
