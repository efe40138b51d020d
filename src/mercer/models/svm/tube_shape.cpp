#include "mercer/models/svm/tube_shape.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/expansion/parametric_functions.h"

namespace mercer {

namespace {

// Terms by the '+' between them, outside of brackets and quotes.
std::vector<std::string> summands(std::string_view text) {
  std::vector<std::string> terms(1);
  int depth = 0;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      quote = c == quote ? '\0' : quote;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '(') {
      ++depth;
    } else if (c == ']' || c == ')') {
      --depth;
    } else if (c == '+' && depth == 0) {
      terms.emplace_back();
      continue;
    }
    if (quote != 0 || (c != ' ' && c != '\t')) {
      terms.back() += c;
    }
  }
  return terms;
}

}  // namespace

TubeShape TubeShape::parse(OptionName name, std::string_view text) {
  TubeShape shape;
  shape.part_ = [&] {
    try {
      return ParametricPart::parse(text);
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(std::string(name.model) + ": " + std::string(name.option) + ": " + error.what());
    }
  }();
  if (shape.part_.is_none()) {
    reject_option(name, text, "constant, linear[column] or another function of columns that is not negative");
  }
  const std::vector<std::string> terms = summands(text);
  shape.has_constant_ = std::ranges::find(terms, "constant") != terms.end();
  return shape;
}

std::string TubeShape::text() const {
  const bool has_both = has_constant_ && !part_.is_constant();
  return (has_both ? "constant + " : "") + part_.text();
}

TubeFractions TubeFractions::parse(OptionName name, std::string_view text) {
  TubeFractions fractions;
  const Limits limits = Limits::above_to(0, 1);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string_view part = text.substr(begin, end - begin);
    part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
    part = part.substr(0, part.find_last_not_of(' ') + 1);
    fractions.values.push_back(OptionValue<double>::parse(name, part, limits));
    OptionValue<double>::check(name, fractions.values.back(), limits);
    begin = end + 1;
  }
  return fractions;
}

std::string TubeFractions::text() const {
  std::vector<std::string> parts;
  std::ranges::transform(values, std::back_inserter(parts), [](double value) { return shortest(value); });
  return join(parts, ",");
}

Matrix<double> TubeShape::values(const Samples& samples) const {
  if (is_constant()) {
    return Matrix<double>::filled(samples.size(), 1, 1.0);
  }
  const ParametricFunctions functions(part_, samples);
  Matrix<double> all(samples.size(), functions.count());
  functions.values({0, samples.size()}, all.view());
  if (has_constant_) {
    return all;
  }
  return Matrix<double>::copy_of(all.view().block(0, 1, all.rows(), all.columns() - 1));
}

std::vector<std::string> TubeShape::names(const Samples& samples) const {
  if (is_constant()) {
    return {"1"};
  }
  std::vector<std::string> names = ParametricFunctions(part_, samples).names();
  if (!has_constant_) {
    names.erase(names.begin());
  }
  return names;
}

}  // namespace mercer
