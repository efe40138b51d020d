#include "mercer/solvers/svm/machine_box.h"

namespace mercer {

MachineBox classifier_box(std::span<const double> signs, std::span<const double> bounds) {
  MachineBox box;
  for (std::size_t i = 0; i < signs.size(); ++i) {
    box.linear.push_back(-signs[i]);
    box.lower.push_back(signs[i] > 0 ? 0.0 : -bounds[i]);
    box.upper.push_back(signs[i] > 0 ? bounds[i] : 0.0);
  }
  return box;
}

MachineBox tube_box(std::span<const double> targets, double epsilon, std::span<const double> bounds) {
  return tube_box(targets, std::vector<double>(targets.size(), epsilon), bounds);
}

MachineBox tube_box(std::span<const double> targets, std::span<const double> epsilons, std::span<const double> bounds) {
  MachineBox box;
  for (const double side : {1.0, -1.0}) {
    for (std::size_t i = 0; i < targets.size(); ++i) {
      box.linear.push_back(side * epsilons[i] - targets[i]);
      box.lower.push_back(side > 0 ? 0.0 : -bounds[i]);
      box.upper.push_back(side > 0 ? bounds[i] : 0.0);
    }
  }
  return box;
}

}  // namespace mercer
