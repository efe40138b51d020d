// Parameters of a probability model inside a kernel: numbers, or `auto` until the model is fitted to the training samples.
// The fitted numbers then stand in the kernel's text, so that a stored model knows them; they are rounded to nine digits,
// which is far below what any sample can tell.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/parameter.h"

namespace mercer {

/// More numbers than this would not be read back from the kernel's text.
inline constexpr Index most_model_numbers = 32768;

/// A number or a list of numbers, by default left to the data.
ParameterSpec fitted_spec(std::string name, std::string meaning, Constraint constraint = Constraint::nonnegative);

/// Whether the parameter waits for the data. InvalidArgument for rules other than `auto`.
bool waits_for_data(const KernelNode& node, std::string_view name);

/// The same for parameters that make sense only together: InvalidArgument where some wait and others are given.
bool wait_for_data(const KernelNode& node, std::initializer_list<std::string_view> names);

/// The `count` numbers of a parameter; one number stands for `count` equal ones. InvalidArgument for any other length.
std::vector<double> model_numbers(const KernelNode& node, std::string_view name, Index count);

/// Rounded to nine digits; finite numbers only (NumericalError naming the kernel's trouble otherwise).
ParameterValue fitted_numbers(const KernelNode& node, std::vector<double> values);
ParameterValue fitted_number(const KernelNode& node, double value);

/// InvalidArgument, saying what to lessen, where a model would have more than most_model_numbers numbers.
void require_storable(const KernelNode& node, double numbers, std::string_view what_to_try);

/// The numbers over their sum, row by row of `row_length`; InvalidArgument where a row's sum is not positive.
void normalize_rows(const KernelNode& node, std::string_view name, Index row_length, std::vector<double>& values);

}  // namespace mercer
