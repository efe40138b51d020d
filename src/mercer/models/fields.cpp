#include "mercer/models/fields.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mercer/base/text.h"
#include "mercer/kernels/spec.h"

namespace mercer {

namespace {

// Takes it out; DataError where it is missing.
template <class Part>
Part taken(std::map<std::string, Part>& parts, const std::string& name, const char* what, const std::string& model) {
  auto node = parts.extract(name);
  if (node.empty()) {
    throw DataError("a stored " + model + " model without the " + what + " '" + name + "'");
  }
  return std::move(node.mapped());
}

template <class Part>
void take_prefixed(std::map<std::string, Part>& parts, const std::string& prefix, std::map<std::string, Part>& taken) {
  auto entry = parts.lower_bound(prefix);
  while (entry != parts.end() && entry->first.starts_with(prefix)) {
    taken.emplace(entry->first.substr(prefix.size()), std::move(entry->second));
    entry = parts.erase(entry);
  }
}

std::string count_text(Index count) { return count == any_count ? "any number" : std::to_string(count); }

template <class T>
void require_shape(const Matrix<T>& values, const std::string& name, Shape shape) {
  const auto fits = [](Index count, Index wanted) { return wanted == any_count || count == wanted; };
  if (!fits(values.rows(), shape.rows) || !fits(values.columns(), shape.columns)) {
    throw DataError("'" + name + "' is " + std::to_string(values.rows()) + " by " + std::to_string(values.columns()) +
                    " where the model needs " + count_text(shape.rows) + " by " + count_text(shape.columns));
  }
}

void require_numbers(const Matrix<double>& values, const std::string& name, const Limits& limits) {
  const double* const end = values.data() + values.rows() * values.columns();
  for (const double* value = values.data(); value != end; ++value) {
    if (!std::isfinite(*value)) {
      throw DataError("'" + name + "' holds a number that is not finite");
    }
    if (!limits.allow(*value)) {
      throw DataError("'" + name + "' holds " + shortest(*value) + ", which is not " + limits.text());
    }
  }
}

// DataError where one is not whole.
Matrix<Index> whole_numbers(const Matrix<double>& values, const std::string& name) {
  constexpr double limit = 0x1p53;  // beyond it doubles are not one apart
  Matrix<Index> result(values.rows(), values.columns());
  for (Index k = 0; k < values.rows() * values.columns(); ++k) {
    const double value = values.data()[k];
    if (!(std::abs(value) <= limit) || value != std::floor(value)) {
      throw DataError("'" + name + "' holds a number that is not whole");
    }
    result.data()[k] = static_cast<Index>(value);
  }
  return result;
}

template <class T>
ConstMatrixView<T> one_column(const std::vector<T>& values) {
  return {values.data(), static_cast<Index>(values.size()), 1};
}

template <class T>
std::vector<T> vector_of(const Matrix<T>& column) {
  return {column.data(), column.data() + column.rows()};
}

}  // namespace

void Fields::matrix(const std::string& name, Matrix<double>& values, Shape shape, const Limits& limits) {
  if (!loading()) {
    put(name, std::as_const(values).view());
    return;
  }
  values = taken(state_.parts.numbers, name, "array", head().name);
  require_shape(values, name, shape);
  require_numbers(values, name, limits);
}

// What saves only reads: several threads may save one model.
void Fields::column(const std::string& name, std::vector<double>& values, Index size, const Limits& limits) {
  if (!loading()) {
    put(name, one_column(values));
    return;
  }
  Matrix<double> stored;
  matrix(name, stored, {size, 1}, limits);
  values = vector_of(stored);
}

void Fields::number(const std::string& name, double& value, const Limits& limits) {
  if (!loading()) {
    put(name, {&value, 1, 1});
    return;
  }
  Matrix<double> stored;
  matrix(name, stored, {1, 1}, limits);
  value = stored(0, 0);
}

void Fields::indices(const std::string& name, std::vector<Index>& values, Index size, Index limit) {
  if (!loading()) {
    put(name, one_column(values));
    return;
  }
  const auto before = state_.parts.numbers.extract(name);
  const Matrix<Index> stored =
      before.empty() ? taken(state_.parts.integers, name, "array", head().name) : whole_numbers(before.mapped(), name);
  require_shape(stored, name, {size, 1});
  values = vector_of(stored);
  if (std::ranges::any_of(values, [&](Index value) { return value < 0 || value >= limit; })) {
    throw DataError("'" + name + "' holds a number that is no index");
  }
}

void Fields::index(const std::string& name, Index& value, Index limit) {
  if (!loading()) {
    put(name, {&value, 1, 1});
    return;
  }
  std::vector<Index> stored;
  indices(name, stored, 1, limit);
  value = stored.front();
}

void Fields::samples(const std::string& name, Samples& samples) {
  if (!loading()) {
    put_samples(name, samples);
    return;
  }
  samples = taken(state_.parts.samples, name, "samples", head().name);
}

void Fields::kernel(Kernel& kernel) {
  if (!loading()) {
    state_.kernel = kernel.spec();
    return;
  }
  kernel = parse_kernel(state_.kernel);
}

void Fields::expansion(Expansion& expansion, const ExpansionForm& form) {
  if (!loading()) {
    state_.kernel = expansion.kernel().spec();
    put_samples("centres", expansion.centers());
    put("coefficients", expansion.coefficients());
    if (form.part != ParametricPart::none) {
      put("parametric", expansion.parametric_coefficients());
    }
    put_word("kernel_precision", word_of(expansion.precision()));
    return;
  }
  Samples centers;
  Matrix<double> coefficients;
  Matrix<double> parametric;
  samples("centres", centers);
  matrix("coefficients", coefficients, {centers.size(), form.outputs});
  if (form.part != ParametricPart::none) {
    matrix("parametric", parametric, {any_count, form.outputs});
  }
  const ParametricPart part =
      form.part.value_or(parametric.rows() == 0 ? ParametricPart::none : ParametricPart::constant);
  expansion = Expansion(parse_kernel(state_.kernel), std::move(centers), std::move(coefficients), part,
                        std::move(parametric), stored_precision(form.precision_before), run());
}

// Format 2 and the last files of format 1 have the bits of a kernel value as a number.
Precision Fields::stored_precision(Precision before) {
  if (const auto bits = state_.parts.numbers.extract("kernel_bits"); !bits.empty()) {
    const Matrix<double>& number = bits.mapped();
    if (number.rows() != 1 || number.columns() != 1 || (number(0, 0) != 32 && number(0, 0) != 64)) {
      throw DataError("'kernel_bits' is neither 32 nor 64");
    }
    return number(0, 0) == 32 ? Precision::single_precision : Precision::double_precision;
  }
  Precision precision = before;
  if (present("kernel_precision", true)) {
    word("kernel_precision", precision);
  }
  return precision;
}

void Fields::group(const std::string& prefix, std::map<std::string, Matrix<double>>& numbers,
                   std::map<std::string, Samples>& samples) {
  if (!loading()) {
    for (const auto& [name, values] : numbers) {
      put(prefix + name, values.view());
    }
    for (const auto& [name, rows] : samples) {
      put_samples(prefix + name, rows);
    }
    return;
  }
  take_prefixed(state_.parts.numbers, prefix, numbers);
  take_prefixed(state_.parts.samples, prefix, samples);
}

bool Fields::present(const std::string& name, bool is_there) const {
  const ModelParts& parts = state_.parts;
  return loading() ? parts.numbers.contains(name) || parts.integers.contains(name) || parts.words.contains(name) ||
                         parts.samples.contains(name)
                   : is_there;
}

void Fields::require(bool holds, std::string_view what) const {
  if (loading() && !holds) {
    throw DataError("a stored " + head().name + " model with " + std::string(what));
  }
}

void Fields::put(const std::string& name, ConstMatrixView<double> values) {
  if (is_wanted(name)) {
    state_.parts.numbers.emplace(name, Matrix<double>::copy_of(values));
  }
}

void Fields::put(const std::string& name, ConstMatrixView<Index> values) {
  if (is_wanted(name)) {
    state_.parts.integers.emplace(name, Matrix<Index>::copy_of(values));
  }
}

void Fields::put_samples(const std::string& name, const Samples& samples) {
  if (is_wanted(name)) {
    state_.parts.samples.emplace(name, samples);
  }
}

void Fields::put_word(const std::string& name, std::string_view text) {
  if (is_wanted(name)) {
    state_.parts.words.emplace(name, text);
  }
}

std::string Fields::taken_word(const std::string& name) { return taken(state_.parts.words, name, "word", head().name); }

}  // namespace mercer
