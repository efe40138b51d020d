// Reading parameters in the constructors of nodes: a value that data or a search has yet to decide reads as a stand-in,
// so that a node can exist, be printed and be resolved before it can be evaluated.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mercer/kernels/parameter.h"

namespace mercer {

/// The number, or `stand_in` where the parameter is absent or not resolved yet.
double number_or(const ParameterList& parameters, std::string_view name, double stand_in);
/// The numbers of a list (or the single number), or an empty vector where absent or not resolved yet.
std::vector<double> numbers_or_none(const ParameterList& parameters, std::string_view name);
/// Where the gradient of a continuous parameter begins among those of its node.
std::size_t gradient_offset(const ParameterList& parameters, std::string_view name);

/// A continuous parameter that is one number for all columns or one per column.
class ColumnParameter {
 public:
  ColumnParameter(const ParameterList& parameters, std::string_view name, double stand_in);

  double operator[](std::size_t column) const { return values_[is_list_ ? column : 0]; }
  /// The place of ∂/∂(value of this column) in the gradient of the node.
  std::size_t slot(std::size_t column) const { return first_ + (is_list_ ? column : 0); }
  /// Throws InvalidArgument where a list is not as long as there are columns.
  void require_columns(std::string_view kernel, Index columns) const;

 private:
  std::string name_;
  std::vector<double> values_;
  bool is_list_ = false;
  std::size_t first_ = 0;
};

}  // namespace mercer
