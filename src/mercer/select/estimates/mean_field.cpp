#include "mercer/select/estimates/mean_field.h"

#include "mercer/select/estimates/support_kinds.h"

namespace mercer {

std::optional<MeanField> mean_field(const Gram<double>& gram, std::span<const double> coefficients,
                                    std::span<const double> bounds, HeldSums held, Index max_free, const Run& run) {
  SupportKinds kinds = support_kinds(coefficients, bounds, gram.size());
  if (static_cast<Index>(kinds.free.size()) > max_free) {
    return std::nullopt;
  }
  const std::optional<FreeSupport> part = free_support(gram, std::move(kinds.free), coefficients, held, run);
  if (!part) {
    return std::nullopt;
  }
  const std::vector<double> of_bound = unit_changes_without(gram, *part, kinds.bound, coefficients, run);
  MeanField result;
  std::size_t next_bound = 0;
  Index next_free = 0;
  for (Index i = 0; i < gram.size(); ++i) {
    const double beta = coefficients[i];
    if (beta != 0) {
      const bool is_bound = next_bound < kinds.bound.size() && kinds.bound[next_bound] == i;
      const double unit = is_bound ? of_bound[next_bound++] : unit_change_without(*part, next_free++);
      result.rows.push_back(i);
      result.changes.push_back(beta * unit);
    }
  }
  return result;
}

std::optional<LeaveOneOutCount> mean_field_errors(const Gram<double>& gram, const TwoClassMachine& machine,
                                                  Index max_free, const Run& run) {
  machine.validate();
  const std::optional<MeanField> field =
      mean_field(gram, machine.coefficients(), machine.bounds, machine.held_sums, max_free, run);
  return field ? std::optional(errors_without(*field, machine)) : std::nullopt;
}

LeaveOneOutCount errors_without(const MeanField& field, const TwoClassMachine& machine) {
  LeaveOneOutCount count{.errors = 0, .rows = machine.size(), .is_error = std::vector<char>(machine.signs.size(), 0)};
  for (std::size_t s = 0; s < field.rows.size(); ++s) {
    const auto row = static_cast<std::size_t>(field.rows[s]);
    if (!(machine.signs[row] * (machine.values[row] - field.changes[s]) > 0)) {
      count.is_error[row] = 1;
      ++count.errors;
    }
  }
  return count;
}

}  // namespace mercer
