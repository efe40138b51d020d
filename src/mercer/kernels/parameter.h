// Parameters of kernels: what a kernel may be told, and what one kernel was told.
//
// A value is a number, a list of numbers (one per column), a symbolic width that the data resolves, or a word. It can
// carry bounds ("lengthscale=1 in 0.1..10"), be fixed ("lengthscale=1!"), or stand for a range that a search walks
// through ("gamma=2^-15..2^3").
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/index.h"

namespace mercer {

/// What may be learnt: a `scale` is continuous and has a gradient; a `number` is fixed (orders, degrees, counts, ν);
/// a `word` is one of a list of names.
enum class ParameterRole { scale, number, word };

/// Which values are allowed.
enum class Constraint { any, positive, nonnegative, positive_integer, nonnegative_integer };

/// Rules that turn data into a width; `d` columns, Var the variance over all entries, squared distances d². `per_column`
/// (the word `ard`) gives a list, one width per column.
enum class WidthRule { none, scale, automatic, median, per_column };

struct ParameterSpec {
  std::string name;
  std::vector<std::string> aliases = {};
  ParameterRole role = ParameterRole::scale;
  Constraint constraint = Constraint::positive;
  std::string default_text = {};  ///< as in a spec: "1", "scale", "gaussian"; empty: unset unless given
  std::string meaning = {};       ///< one line for the listing
  bool may_be_list = false;
  bool may_be_infinite = false;
  std::vector<std::string> words = {};  ///< the allowed words of a `word` parameter
};

struct Interval {
  double lower = 0;
  double upper = 0;
  bool operator==(const Interval&) const = default;
};

struct ParameterValue {
  std::vector<double> numbers;  ///< one, or one per column; empty while a width is unresolved and for words
  bool is_list = false;
  WidthRule width = WidthRule::none;
  std::string word;
  bool fixed = false;
  std::optional<Interval> bounds;
  std::optional<Interval> search;

  static ParameterValue number(double value);
  static ParameterValue list(std::vector<double> values);
  static ParameterValue of_word(std::string word);
  static ParameterValue of_width(WidthRule rule);

  bool is_resolved() const { return width == WidthRule::none && !search; }
  bool operator==(const ParameterValue&) const = default;
};

/// The rule that a word names (scale, auto, median, ard); empty for any other word.
std::optional<WidthRule> width_rule(std::string_view word);

/// By name or alias; unknown ones throw InvalidArgument with the nearest name and the list of those there are.
const ParameterSpec& parameter_named(std::string_view kernel, std::span<const ParameterSpec> specs,
                                     std::string_view name);

/// Whether data may decide the value: gamma, lengthscale, and whatever has a width as its default.
bool may_be_width(const ParameterSpec& spec);

/// The words that say so: scale, auto, median, and ard where there may be one width per column.
std::vector<std::string> width_words(const ParameterSpec& spec);

/// Throws InvalidArgument ("rbf: gamma = -1: must be a positive number") unless the parameter may take this value:
/// kind, constraint, bounds around the numbers, search range.
void require_allowed(std::string_view kernel, const ParameterSpec& spec, const ParameterValue& value);

/// A parameter that was given or has a default; unset optional ones are absent from the list.
struct Parameter {
  const ParameterSpec* spec = nullptr;  ///< points into the registry
  ParameterValue value;
};

/// The parameters of one node, in the order of its table.
class ParameterList {
 public:
  ParameterList() = default;
  /// Takes given values, adds defaults, checks constraints: throws InvalidArgument naming kernel and parameter.
  ParameterList(std::string_view kernel, std::span<const ParameterSpec> specs,
                std::vector<std::pair<std::string, ParameterValue>> given);

  std::span<const Parameter> all() const { return parameters_; }
  const Parameter* find(std::string_view name) const;
  bool has(std::string_view name) const { return find(name) != nullptr; }
  /// The single number of a parameter that is present; throws if it is a list, a word or unresolved.
  double number(std::string_view name) const;
  /// The same, or `fallback` while the parameter is unset or unresolved: for what a node computes once at its making.
  double number_or(std::string_view name, double fallback) const;
  int integer(std::string_view name) const { return static_cast<int>(number(name)); }
  const std::vector<double>& numbers(std::string_view name) const;
  const std::string& word(std::string_view name) const;
  bool resolved() const;

  /// The same list with one value replaced, or added in its place (constraints are checked again).
  ParameterList with(std::string_view name, ParameterValue value) const;
  /// Without one parameter.
  ParameterList without(std::string_view name) const;

  /// How many continuous numbers (role `scale`) there are, lists counted by their length.
  Index scale_count() const;

 private:
  const ParameterValue& value_of(std::string_view name) const;

  std::string kernel_;
  std::span<const ParameterSpec> specs_;
  std::vector<Parameter> parameters_;
};

/// "0.1", "[1, 2]", "scale", "1 in 0.1..10", "1!", "2^-15..2^3" as it is written in a spec.
std::string to_string(const ParameterValue& value);

/// One continuous number of a kernel, addressed by its path in the expression.
struct ScaleParameter {
  std::string path;  ///< "lengthscale[1]", "0.gamma", "1.0.scale": child numbers, then the name
  double value = 0;
  Constraint constraint = Constraint::positive;
  bool fixed = false;
  std::optional<Interval> bounds;
};

}  // namespace mercer
