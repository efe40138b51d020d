#include "mercer/solvers/convex/program/convex_program.h"

#include <cmath>
#include <string>

#include "mercer/base/error.h"

namespace mercer {

namespace {

[[noreturn]] void reject_program(const std::string& what) { throw InvalidArgument("convex programme: " + what); }

void require_length(const char* name, std::size_t length, Index expected) {
  if (static_cast<Index>(length) != expected) {
    reject_program(std::string(name) + " has " + std::to_string(length) + " numbers: it must have " +
                   std::to_string(expected));
  }
}

void require_rows(const char* name, ConstMatrixView<double> rows, Index columns) {
  if (rows.rows() > 0 && rows.columns() != columns) {
    reject_program(std::string(name) + " has " + std::to_string(rows.columns()) + " columns: there are " +
                   std::to_string(columns) + " variables");
  }
  for (Index i = 0; i < rows.rows(); ++i) {
    for (const double value : rows.row(i)) {
      if (!std::isfinite(value)) {
        reject_program(std::string(name) + " has a number in row " + std::to_string(i) + " that is not finite");
      }
    }
  }
}

void require_interval(const char* name, Index i, double lower, double upper) {
  const double infinity = std::numeric_limits<double>::infinity();
  if (!(lower <= upper) || lower == infinity || upper == -infinity) {
    reject_program(std::string("the bounds of ") + name + " " + std::to_string(i) + " are " + std::to_string(lower) +
                   " and " + std::to_string(upper) +
                   ": the lower one must not be above the upper one, and no number "
                   "must be asked to be infinite");
  }
}

}  // namespace

void require_valid(const ConvexProgram& program) {
  const Index n = program.size();
  for (Index i = 0; i < n; ++i) {
    if (!std::isfinite(program.linear[static_cast<std::size_t>(i)])) {
      reject_program("the linear coefficient of variable " + std::to_string(i) + " is not finite");
    }
  }
  if (program.quadratic != nullptr && program.quadratic->size() != n) {
    reject_program("Q is of order " + std::to_string(program.quadratic->size()) + ": there are " + std::to_string(n) +
                   " variables");
  }
  if (program.separable != nullptr) {
    require_length("the separable term", static_cast<std::size_t>(program.separable->size()), n);
  }
  require_rows("A", program.equality, n);
  require_rows("G", program.range, n);
  require_length("b", program.equality_values.size(), program.equality.rows());
  for (std::size_t i = 0; i < program.equality_values.size(); ++i) {
    if (!std::isfinite(program.equality_values[i])) {
      reject_program("value " + std::to_string(i) + " of b is not finite");
    }
  }
  const auto require_optional = [](const char* name, const std::vector<double>& values, Index expected) {
    if (!values.empty()) {
      require_length(name, values.size(), expected);
    }
  };
  require_optional("the lower bounds of Gx", program.range_lower, program.range.rows());
  require_optional("the upper bounds of Gx", program.range_upper, program.range.rows());
  require_optional("the lower bounds of x", program.lower, n);
  require_optional("the upper bounds of x", program.upper, n);
  for (Index i = 0; i < program.range.rows(); ++i) {
    require_interval("row", i, program.range_lower_of(i), program.range_upper_of(i));
  }
  for (Index i = 0; i < n; ++i) {
    require_interval("variable", i, program.lower_of(i), program.upper_of(i));
  }
}

}  // namespace mercer
