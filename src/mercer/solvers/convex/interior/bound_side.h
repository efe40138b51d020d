// Bounds of one side with their slacks and multipliers: half of what a barrier is made of (barrier_state.h).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mercer {

/// All finite bounds of one side, of the variables (x, w).
struct BoundSide {
  double sign = 1;              ///< 1 for lower bounds, −1 for upper ones
  std::vector<std::size_t> at;  ///< which variable
  std::vector<double> slack;
  std::vector<double> multiplier;
  std::vector<double> aim;  ///< of slack times multiplier after the step
  std::vector<double> slack_step;
  std::vector<double> multiplier_step;

  void add(std::size_t variable, double distance);
  /// mean · everywhere, less `second_order` times the product of the last steps.
  void aim_at(double mean, double second_order);
  /// Draws the products that the last step would end with, so far along, into [least, most].
  void draw_in(double primal, double dual, double least, double most);
  void step_along(std::span<const double> step);
  double products() const;
};

}  // namespace mercer
