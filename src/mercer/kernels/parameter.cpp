#include "mercer/kernels/parameter.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/text.h"

namespace mercer {

namespace {

bool is_named(const ParameterSpec& spec, std::string_view name) {
  return spec.name == name || std::find(spec.aliases.begin(), spec.aliases.end(), name) != spec.aliases.end();
}

bool may_be_list_width(const ParameterSpec& spec) { return spec.name == "lengthscale" && spec.may_be_list; }

bool meets(Constraint constraint, double value) {
  // Whole numbers are read as int by the kernels.
  const bool whole = value == std::floor(value) && value <= std::numeric_limits<int>::max();
  switch (constraint) {
    case Constraint::any:
      return true;
    case Constraint::positive:
      return value > 0;
    case Constraint::nonnegative:
      return value >= 0;
    case Constraint::positive_integer:
      return value >= 1 && whole;
    case Constraint::nonnegative_integer:
      return value >= 0 && whole;
  }
  return false;
}

std::string allowed_number(const ParameterSpec& spec) {
  const auto words = [&]() -> std::string {
    switch (spec.constraint) {
      case Constraint::any:
        return "a finite number";
      case Constraint::positive:
        return "a positive number";
      case Constraint::nonnegative:
        return "a number that is not negative";
      case Constraint::positive_integer:
        return "a whole number from 1";
      case Constraint::nonnegative_integer:
        return "a whole number from 0";
    }
    return "a number";
  }();
  return words + (spec.may_be_infinite ? ", or inf" : "") +
         (may_be_width(spec) ? ", or one of " + join(width_words(spec), ", ") : "");
}

// Why a value is refused: "rbf: gamma = -1: must be …".
class Check {
 public:
  Check(std::string_view kernel, const ParameterSpec& spec, const ParameterValue& value)
      : name_(std::string(kernel) + ": " + spec.name), spec_(spec), value_(value) {}

  void run() const {
    if (spec_.role == ParameterRole::word) {
      check_word();
      return;
    }
    if (!value_.word.empty()) {
      reject(allowed_number(spec_));
    }
    if (value_.width != WidthRule::none && !may_be_width(spec_)) {
      reject(allowed_number(spec_) + "; only widths can be left to the data");
    }
    if (value_.width == WidthRule::per_column && !may_be_list_width(spec_)) {
      reject(allowed_number(spec_) + "; a width for every column (ard) needs a lengthscale");
    }
    if (value_.search) {
      check_search();
    } else if (value_.width == WidthRule::none) {
      check_numbers();
    }
    check_bounds();
  }

 private:
  [[noreturn]] void reject(std::string_view allowed) const { reject_argument(name_, to_string(value_), allowed); }

  bool is_allowed(double x) const {
    return std::isfinite(x) ? meets(spec_.constraint, x) : spec_.may_be_infinite && x > 0;
  }

  void check_word() const {
    if (value_.word.empty() || value_.fixed || value_.bounds || value_.search) {
      reject(spec_.words.empty() ? "a word" : "one of " + join(spec_.words, ", "));
    }
    if (!spec_.words.empty() && std::find(spec_.words.begin(), spec_.words.end(), value_.word) == spec_.words.end()) {
      reject("one of " + join(spec_.words, ", ") + "." + did_you_mean(value_.word, spec_.words));
    }
  }

  void check_numbers() const {
    if (value_.is_list && !spec_.may_be_list) {
      reject("a single number, not a list");
    }
    if (value_.numbers.empty() || (!value_.is_list && value_.numbers.size() != 1)) {
      reject(value_.is_list ? "a list of at least one number" : "a number");
    }
    for (std::size_t j = 0; j < value_.numbers.size(); ++j) {
      if (!is_allowed(value_.numbers[j])) {
        const std::string index = value_.is_list ? "[" + std::to_string(j) + "]" : "";
        reject_argument(name_ + index, value_.numbers[j], allowed_number(spec_));
      }
    }
  }

  void check_search() const {
    const auto [lower, upper] = *value_.search;
    if (value_.bounds || value_.fixed || value_.is_list || !value_.numbers.empty() || value_.width != WidthRule::none) {
      reject("a search range alone: without value, bounds or '!'");
    }
    if (!std::isfinite(lower) || !std::isfinite(upper) || !(lower <= upper)) {
      reject("a range from a smaller to a larger finite number");
    }
    if (!meets(spec_.constraint, lower) || !meets(spec_.constraint, upper)) {
      reject("a range whose ends are each " + allowed_number(spec_));
    }
  }

  void check_bounds() const {
    if (!value_.bounds) {
      return;
    }
    if (spec_.role != ParameterRole::scale) {
      reject("without bounds: it is not learnt (a range to search is written " + spec_.name + "=lower..upper)");
    }
    const auto [lower, upper] = *value_.bounds;
    const bool lower_allowed =
        std::isfinite(lower) ? meets(spec_.constraint, lower) : spec_.constraint == Constraint::any && lower < 0;
    if (!(lower <= upper) || !lower_allowed || upper == -HUGE_VAL) {
      reject("between bounds that are ordered and each " + allowed_number(spec_));
    }
    for (const double number : value_.numbers) {
      // An infinite lengthscale switches a column off and is not learnt.
      if (std::isfinite(number) && (number < lower || number > upper)) {
        reject("a value within its own bounds, " + shortest(lower) + " to " + shortest(upper));
      }
    }
  }

  std::string name_;
  const ParameterSpec& spec_;
  const ParameterValue& value_;
};

ParameterValue default_value(const ParameterSpec& spec) {
  if (spec.role == ParameterRole::word) {
    return ParameterValue::of_word(spec.default_text);
  }
  if (const auto rule = width_rule(spec.default_text)) {
    return ParameterValue::of_width(*rule);
  }
  const auto number = parse_double(spec.default_text);
  return number ? ParameterValue::number(*number) : ParameterValue::of_word(spec.default_text);
}

}  // namespace

const ParameterSpec& parameter_named(std::string_view kernel, std::span<const ParameterSpec> specs,
                                     std::string_view name) {
  std::vector<std::string> names;
  std::vector<std::string> known;
  for (const ParameterSpec& spec : specs) {
    if (is_named(spec, name)) {
      return spec;
    }
    names.push_back(spec.name);
    known.push_back(spec.name);
    known.insert(known.end(), spec.aliases.begin(), spec.aliases.end());
  }
  constexpr std::size_t longest_shown = 64;
  const std::string_view shown = name.substr(0, longest_shown);
  throw InvalidArgument(std::string(kernel) + " has no parameter '" + std::string(shown) + "'." +
                        did_you_mean(shown, known) +
                        (names.empty() ? " It takes none." : " There are: " + join(names, ", ") + "."));
}

std::vector<std::string> width_words(const ParameterSpec& spec) {
  std::vector<std::string> words = {"scale", "auto", "median"};
  if (may_be_list_width(spec)) {
    words.emplace_back("ard");
  }
  return words;
}

bool may_be_width(const ParameterSpec& spec) {
  return spec.role != ParameterRole::word &&
         (spec.name == "gamma" || spec.name == "lengthscale" || width_rule(spec.default_text).has_value());
}

void require_allowed(std::string_view kernel, const ParameterSpec& spec, const ParameterValue& value) {
  Check(kernel, spec, value).run();
}

ParameterList::ParameterList(std::string_view kernel, std::span<const ParameterSpec> specs,
                             std::vector<std::pair<std::string, ParameterValue>> given)
    : kernel_(kernel), specs_(specs) {
  std::vector<std::optional<ParameterValue>> values(specs.size());
  for (auto& [name, value] : given) {
    const ParameterSpec& spec = parameter_named(kernel, specs, name);
    auto& slot = values[&spec - specs.data()];
    if (slot) {
      throw InvalidArgument(kernel_ + ": parameter '" + spec.name + "' is given twice");
    }
    require_allowed(kernel, spec, value);
    slot = std::move(value);
  }
  for (std::size_t p = 0; p < specs.size(); ++p) {
    if (!values[p] && !specs[p].default_text.empty()) {
      values[p] = default_value(specs[p]);
      require_allowed(kernel, specs[p], *values[p]);
    }
    if (values[p]) {
      parameters_.push_back({&specs[p], std::move(*values[p])});
    }
  }
}

const Parameter* ParameterList::find(std::string_view name) const {
  const auto found = std::find_if(parameters_.begin(), parameters_.end(),
                                  [&](const Parameter& parameter) { return is_named(*parameter.spec, name); });
  return found == parameters_.end() ? nullptr : &*found;
}

const ParameterValue& ParameterList::value_of(std::string_view name) const {
  const Parameter* parameter = find(name);
  if (parameter == nullptr) {
    throw InvalidArgument(kernel_ + ": parameter '" + std::string(name) + "' is not set");
  }
  return parameter->value;
}

const std::vector<double>& ParameterList::numbers(std::string_view name) const {
  const ParameterValue& value = value_of(name);
  const auto shown = [&] { return kernel_ + ": " + std::string(name) + " = " + to_string(value); };
  if (value.search) {
    throw InvalidArgument(shown() + " is a range to search, not a number: choose one, or let a search do it");
  }
  if (value.width != WidthRule::none) {
    throw InvalidArgument(shown() + " is not resolved yet: resolve_widths(kernel, samples, run) makes it a number");
  }
  if (value.numbers.empty()) {
    throw InvalidArgument(shown() + " is a word where a number is needed");
  }
  return value.numbers;
}

double ParameterList::number(std::string_view name) const {
  const std::vector<double>& values = numbers(name);
  if (find(name)->value.is_list) {
    throw InvalidArgument(kernel_ + ": " + std::string(name) + " = " + to_string(find(name)->value) +
                          " is a list where a single number is needed");
  }
  return values[0];
}

double ParameterList::number_or(std::string_view name, double fallback) const {
  const Parameter* parameter = find(name);
  return parameter == nullptr || !parameter->value.is_resolved() ? fallback : number(name);
}

const std::string& ParameterList::word(std::string_view name) const {
  const ParameterValue& value = value_of(name);
  if (value.word.empty()) {
    throw InvalidArgument(kernel_ + ": " + std::string(name) + " = " + to_string(value) +
                          " is a number where a word is needed");
  }
  return value.word;
}

bool ParameterList::resolved() const {
  return std::all_of(parameters_.begin(), parameters_.end(),
                     [](const Parameter& parameter) { return parameter.value.is_resolved(); });
}

ParameterList ParameterList::with(std::string_view name, ParameterValue value) const {
  const ParameterSpec& spec = parameter_named(kernel_, specs_, name);
  require_allowed(kernel_, spec, value);
  ParameterList result = *this;
  // Specs stand in one table, so their addresses are their order.
  const auto place = std::find_if(result.parameters_.begin(), result.parameters_.end(),
                                  [&](const Parameter& parameter) { return parameter.spec >= &spec; });
  if (place != result.parameters_.end() && place->spec == &spec) {
    place->value = std::move(value);
  } else {
    result.parameters_.insert(place, {&spec, std::move(value)});
  }
  return result;
}

ParameterList ParameterList::without(std::string_view name) const {
  ParameterList result = *this;
  std::erase_if(result.parameters_, [&](const Parameter& parameter) { return is_named(*parameter.spec, name); });
  return result;
}

Index ParameterList::scale_count() const {
  Index count = 0;
  for (const Parameter& parameter : parameters_) {
    count += parameter.spec->role == ParameterRole::scale ? static_cast<Index>(parameter.value.numbers.size()) : 0;
  }
  return count;
}

}  // namespace mercer
