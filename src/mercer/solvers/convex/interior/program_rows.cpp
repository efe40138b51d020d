#include "mercer/solvers/convex/interior/program_rows.h"

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

double power_of_two_below(double size) {
  int exponent = 0;
  std::frexp(size, &exponent);
  return std::ldexp(1.0, exponent - 1);
}

double largest_of_row(ConstMatrixView<double> rows, Index i) {
  double size = 0;
  for (const double value : rows.row(i)) {
    size = std::max(size, std::abs(value));
  }
  return size;
}

}  // namespace

ProgramRows::ProgramRows(const ConvexProgram& program) {
  std::vector<Source> ranges;
  for (Index i = 0; i < program.equality.rows(); ++i) {
    const double value = program.equality_values[static_cast<std::size_t>(i)];
    const double size = largest_of_row(program.equality, i);
    const Source source{false, i, 1.0};
    if (size > 0) {
      sources_.push_back(source);
      values_.push_back(value);
    } else if (value != 0) {
      add_contradiction(program, source, value > 0 ? 1.0 : -1.0);
    }
  }
  for (Index i = 0; i < program.range.rows(); ++i) {
    const double lower = program.range_lower_of(i);
    const double upper = program.range_upper_of(i);
    const double size = largest_of_row(program.range, i);
    const Source source{true, i, 1.0};
    if (size == 0) {
      if (lower > 0 || upper < 0) {
        add_contradiction(program, source, lower > 0 ? 1.0 : -1.0);
      }
    } else if (lower == upper) {
      sources_.push_back(source);
      values_.push_back(lower);
    } else if (std::isfinite(lower) || std::isfinite(upper)) {
      ranges.push_back(source);
      lower_.push_back(lower);
      upper_.push_back(upper);
    }
  }
  equalities_ = static_cast<Index>(sources_.size());
  sources_.insert(sources_.end(), ranges.begin(), ranges.end());
  equilibrate(program);
  copy_rows(program);
}

// Rows and columns are divided by the square roots of their largest entries, a few times; columns at last by what Q's
// diagonal asks for, if that is more.
void ProgramRows::equilibrate(const ConvexProgram& program) {
  const auto n = static_cast<std::size_t>(program.size());
  column_sizes_.assign(n, 1.0);
  std::vector<double> largest(n);
  for (int round = 0; round < 4; ++round) {
    std::fill(largest.begin(), largest.end(), 0.0);
    for (Source& source : sources_) {
      const double* row = row_of(program, source).data();
      double size = 0;
      for (std::size_t j = 0; j < n; ++j) {
        const double entry = std::abs(row[j]) * source.factor / column_sizes_[j];
        size = std::max(size, entry);
        largest[j] = std::max(largest[j], entry);
      }
      source.factor /= std::sqrt(size);
    }
    for (std::size_t j = 0; j < n; ++j) {
      column_sizes_[j] *= largest[j] > 0 ? std::sqrt(largest[j]) : 1.0;
    }
  }
  if (program.has_quadratic()) {
    program.quadratic->diagonal(largest);
    const double most = n > 0 ? *std::max_element(largest.begin(), largest.end()) : 0.0;
    for (std::size_t j = 0; j < n && most > 0; ++j) {
      column_sizes_[j] = std::max(sources_.empty() ? 0.0 : column_sizes_[j], std::sqrt(largest[j] / most));
      column_sizes_[j] = column_sizes_[j] > 0 ? column_sizes_[j] : 1.0;
    }
  }
  for (double& size : column_sizes_) {
    size = power_of_two_below(size);
  }
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    const std::span<const double> row = row_of(program, sources_[s]);
    double size = 0;
    for (std::size_t j = 0; j < n; ++j) {
      size = std::max(size, std::abs(row[j]) / column_sizes_[j]);
    }
    sources_[s].factor = 1 / power_of_two_below(size);
    if (s < values_.size()) {
      values_[s] *= sources_[s].factor;
    } else {
      lower_[s - values_.size()] *= sources_[s].factor;
      upper_[s - values_.size()] *= sources_[s].factor;
    }
  }
}

void ProgramRows::copy_rows(const ConvexProgram& program) {
  rows_ = Matrix<double>(static_cast<Index>(sources_.size()), program.size());
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    const std::span<const double> from = row_of(program, sources_[s]);
    std::transform(from.begin(), from.end(), rows_.view().row_data(static_cast<Index>(s)),
                   [&](double value) { return value * sources_[s].factor; });
  }
}

std::span<const double> ProgramRows::row_of(const ConvexProgram& program, const Source& source) {
  return (source.from_range ? program.range : program.equality).row(source.row);
}

void ProgramRows::add_contradiction(const ConvexProgram& program, const Source& source, double sign) {
  FarkasCertificate certificate{std::vector<double>(static_cast<std::size_t>(program.equality.rows()), 0.0),
                                std::vector<double>(static_cast<std::size_t>(program.range.rows()), 0.0)};
  (source.from_range ? certificate.range : certificate.equality)[static_cast<std::size_t>(source.row)] = sign;
  contradiction_ = std::move(certificate);
}

void ProgramRows::write_multipliers(std::span<const double> multipliers, std::vector<double>& equality,
                                    std::vector<double>& range) const {
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    const Source& source = sources_[s];
    double value = multipliers[s] * source.factor;
    if (s >= static_cast<std::size_t>(equalities_)) {
      const std::size_t at = s - static_cast<std::size_t>(equalities_);
      value = std::isfinite(value > 0 ? lower_[at] : upper_[at]) ? value : 0.0;
    }
    (source.from_range ? range : equality)[static_cast<std::size_t>(source.row)] = value;
  }
}

}  // namespace mercer
