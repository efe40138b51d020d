#include "mercer/select/search/search_space.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/select/search/default_ranges.h"

namespace mercer {

namespace {

bool has_option(const ModelEntry& model, std::string_view name) {
  return std::any_of(model.options.begin(), model.options.end(),
                     [&](const OptionDescription& option) { return option.name == name; });
}

const OptionDescription& option_named(const ModelEntry& model, const std::string& name) {
  std::vector<std::string> known;
  for (const OptionDescription& option : model.options) {
    if (option.name == name) {
      return option;
    }
    known.push_back(option.name);
  }
  throw InvalidArgument(model.name + " has no option '" + name + "'." + did_you_mean(name, known) +
                        " Its options are " + join(known, ", ") + ".");
}

// "2^-5", "1e-3", "10".
std::optional<double> parse_power(std::string_view text) {
  const auto caret = text.find('^');
  if (caret == std::string_view::npos) {
    return parse_double(trim(text));
  }
  const auto base = parse_double(trim(text.substr(0, caret)));
  const auto exponent = parse_double(trim(text.substr(caret + 1)));
  return base && exponent ? std::optional(std::pow(*base, *exponent)) : std::nullopt;
}

double require_number(std::string_view what, std::string_view whole, std::string_view text) {
  const auto value = parse_power(text);
  if (!value || !std::isfinite(*value)) {
    throw InvalidArgument(std::string(what) + "=" + std::string(whole) + ": '" + std::string(trim(text)) +
                          "' is not a number. A range is written as 2^-5..2^15 or 0.01..1, a list as 1|10|100");
  }
  return *value;
}

SimplerEnd simpler_end(AxisPlace place, std::string_view name, Task task) {
  const auto is = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (place == AxisPlace::kernel) {
    return is({"gamma", "degree"})     ? SimplerEnd::lower
           : is({"lengthscale", "nu"}) ? SimplerEnd::upper
                                       : SimplerEnd::neither;
  }
  if (!predicts_targets(task)) {
    return SimplerEnd::neither;
  }
  return is({"C", "medoids"})                                          ? SimplerEnd::lower
         : is({"lambda", "mean_lambda", "epsilon", "nu", "neighbors"}) ? SimplerEnd::upper
                                                                       : SimplerEnd::neither;
}

void set_range(SearchAxis& axis, const Interval& range) {
  axis.lower = range.lower;
  axis.upper = range.upper;
  axis.scale = range.lower > 0 ? AxisScale::logarithmic : AxisScale::linear;
}

void require_whole_ends(const SearchAxis& axis) {
  if (axis.kind == NumberKind::whole &&
      (axis.lower != std::floor(axis.lower) || axis.upper != std::floor(axis.upper))) {
    throw InvalidArgument(axis.name + " takes whole numbers; its range is " + shortest(axis.lower) + ".." +
                          shortest(axis.upper));
  }
}

void set_choices(SearchAxis& axis, const OptionSetting& setting) {
  for (const std::string& text : split(setting.value, '|')) {
    axis.choices.push_back(require_number(setting.name, setting.value, text));
  }
  std::sort(axis.choices.begin(), axis.choices.end());
  axis.choices.erase(std::unique(axis.choices.begin(), axis.choices.end()), axis.choices.end());
  set_range(axis, {axis.choices.front(), axis.choices.back()});
}

void set_words(SearchAxis& axis, const OptionDescription& option, const OptionSetting& setting) {
  for (const std::string& text : split(setting.value, '|')) {
    const std::string word(trim(text));
    if (std::find(option.words.begin(), option.words.end(), word) == option.words.end()) {
      throw InvalidArgument(setting.name + "=" + setting.value + ": '" + word + "' is none of " + option.type);
    }
    if (std::find(axis.words.begin(), axis.words.end(), word) == axis.words.end()) {
      axis.words.push_back(word);
    }
  }
}

// The setting as an axis; empty where it is one value.
std::optional<SearchAxis> axis_of(const ModelEntry& model, const OptionSetting& setting) {
  const OptionDescription& option = option_named(model, setting.name);
  const bool is_number = option.kind == OptionKind::number || option.kind == OptionKind::whole_number;
  const bool is_list = setting.value.find('|') != std::string::npos;
  SearchAxis axis;
  axis.name = setting.name;
  axis.simpler = simpler_end(AxisPlace::option, setting.name, model.task);
  axis.kind = option.kind == OptionKind::whole_number ? NumberKind::whole : NumberKind::real;
  if (is_number) {
    if (const auto range = parse_range(setting.name, setting.value)) {
      set_range(axis, *range);
    } else if (is_list) {
      set_choices(axis, setting);
    } else {
      return std::nullopt;
    }
    require_whole_ends(axis);
    return axis;
  }
  // Free texts (priors, weights of classes) may hold dots and bars of their own.
  if (option.kind == OptionKind::text || !is_list) {
    return std::nullopt;
  }
  set_words(axis, option, setting);
  return axis;
}

// ---- Kernels ------------------------------------------------------------------------------------------------------

std::shared_ptr<const KernelNode> with_default_widths(const KernelNode& node) {
  ParameterList parameters = node.parameters();
  for (const Parameter& parameter : node.parameters().all()) {
    const WidthRule rule = parameter.value.width;
    const std::string_view range = default_width_range(parameter.spec->name);
    if (rule == WidthRule::none || rule == WidthRule::per_column || parameter.value.fixed || range.empty()) {
      continue;
    }
    ParameterValue value;
    value.search = parse_range(parameter.spec->name, range);
    parameters = parameters.with(parameter.spec->name, value);
  }
  std::vector<Kernel> children;
  for (const Kernel& child : node.children()) {
    children.emplace_back(with_default_widths(child.node()));
  }
  return node.rebuilt(std::move(parameters), std::move(children));
}

// As paths of Kernel::scale_parameters: child numbers only where a node has several children.
void collect_axes(const KernelNode& node, const std::string& prefix, Task task, std::vector<SearchAxis>& axes) {
  for (const Parameter& parameter : node.parameters().all()) {
    if (!parameter.value.search) {
      continue;
    }
    SearchAxis axis;
    axis.name = prefix + parameter.spec->name;
    axis.place = AxisPlace::kernel;
    axis.simpler = simpler_end(AxisPlace::kernel, parameter.spec->name, task);
    const Constraint constraint = parameter.spec->constraint;
    axis.kind = constraint == Constraint::positive_integer || constraint == Constraint::nonnegative_integer
                    ? NumberKind::whole
                    : NumberKind::real;
    set_range(axis, *parameter.value.search);
    require_whole_ends(axis);
    axes.push_back(std::move(axis));
  }
  for (std::size_t c = 0; c < node.children().size(); ++c) {
    const bool several = node.children().size() > 1;
    collect_axes(node.child(c), several ? prefix + std::to_string(c) + "." : prefix, task, axes);
  }
}

// A parameter that stands alone needs no place in its name, unless an option is called the same.
void shorten_names(std::vector<SearchAxis>& axes) {
  const auto last_part = [](const std::string& name) { return name.substr(name.rfind('.') + 1); };
  std::map<std::string, int> uses;
  for (const SearchAxis& axis : axes) {
    ++uses[last_part(axis.name)];
  }
  for (SearchAxis& axis : axes) {
    const std::string last = last_part(axis.name);
    if (axis.place == AxisPlace::kernel) {
      const bool ambiguous = std::any_of(axes.begin(), axes.end(), [&](const SearchAxis& other) {
        return other.place == AxisPlace::option && other.name == axis.name;
      });
      axis.name = uses[last] == 1 ? last : ambiguous ? "kernel." + axis.name : axis.name;
    }
  }
}

enum class Learning { learns, keeps };

// Rebuilds the subtree, taking numbers for its ranges from the front of `values`. Models that learn kernel parameters
// must leave these alone.
std::shared_ptr<const KernelNode> with_values(const KernelNode& node, std::span<const double>& values,
                                              Learning learning) {
  ParameterList parameters = node.parameters();
  for (const Parameter& parameter : node.parameters().all()) {
    if (!parameter.value.search) {
      continue;
    }
    ParameterValue value = ParameterValue::number(values.front());
    value.fixed = parameter.value.fixed || learning == Learning::learns;
    values = values.subspan(1);
    parameters = parameters.with(parameter.spec->name, std::move(value));
  }
  std::vector<Kernel> children;
  for (const Kernel& child : node.children()) {
    children.emplace_back(with_values(child.node(), values, learning));
  }
  return node.rebuilt(std::move(parameters), std::move(children));
}

// ---- Defaults -----------------------------------------------------------------------------------------------------

bool is_set(std::span<const OptionSetting> settings, std::string_view name) {
  return std::any_of(settings.begin(), settings.end(),
                     [&](const OptionSetting& setting) { return setting.name == name; });
}

void add_default_axes(SearchSpace& space, std::span<const OptionSetting> settings, const SearchScale& scale) {
  for (const OptionDescription& option : space.model->options) {
    if (!option.search || is_set(settings, option.name) || (option.search->unless_per_row && scale.per_row)) {
      continue;
    }
    const std::vector<std::string> obstacles = split(option.search->unless, ' ');
    if (std::any_of(obstacles.begin(), obstacles.end(), [&](const auto& name) { return is_set(settings, name); })) {
      continue;
    }
    SearchAxis axis = *axis_of(*space.model, {option.name, option.search->range});
    if (option.search->unit == RangeUnit::target_deviations && scale.target_deviation > 0) {
      set_range(axis, {axis.lower * scale.target_deviation, axis.upper * scale.target_deviation});
    }
    space.axes.push_back(std::move(axis));
  }
}

// Values where the first tree has ranges and the second, which is built alike, numbers.
void collect_values(const KernelNode& ranged, const KernelNode& resolved, std::vector<double>& values) {
  for (const Parameter& parameter : ranged.parameters().all()) {
    if (!parameter.value.search) {
      continue;
    }
    double value = std::nan("");
    for (const Parameter& other : resolved.parameters().all()) {
      if (other.spec == parameter.spec && other.value.is_resolved() && other.value.numbers.size() == 1) {
        value = other.value.numbers.front();
      }
    }
    values.push_back(value);
  }
  for (std::size_t c = 0; c < ranged.children().size(); ++c) {
    collect_values(ranged.child(c), resolved.child(c), values);
  }
}

SearchAxis choice_among(std::string name, AxisPlace place, std::vector<std::string> words) {
  SearchAxis axis;
  axis.name = std::move(name);
  axis.place = place;
  axis.stage = AxisStage::first;
  axis.words = std::move(words);
  return axis;
}

}  // namespace

std::optional<Interval> parse_range(std::string_view what, std::string_view text) {
  const auto dots = text.find("..");
  if (dots == std::string_view::npos) {
    return std::nullopt;
  }
  const Interval range{require_number(what, text, text.substr(0, dots)),
                       require_number(what, text, text.substr(dots + 2))};
  if (!(range.lower < range.upper)) {
    throw InvalidArgument(std::string(what) + "=" + std::string(text) +
                          ": the first end of a range must be below the second");
  }
  return range;
}

SearchSpace make_search_space(const ModelEntry& model, const std::optional<Kernel>& kernel,
                              std::span<const OptionSetting> settings, const SearchScale& scale) {
  // What learns its widths is not told to search them.
  const bool learns = has_option(model, "optimize");
  SearchSpace space{.model = &model, .kernel = kernel, .usual_kernel = kernel};
  if (kernel && !learns) {
    space.kernel = Kernel(with_default_widths(kernel->node()));
  }
  add_default_axes(space, settings, scale);
  for (const OptionSetting& setting : settings) {
    if (auto axis = axis_of(model, setting)) {
      space.axes.push_back(*std::move(axis));
    } else {
      space.settings.push_back(setting);
    }
  }
  if (space.kernel) {
    collect_axes(space.kernel->node(), "", model.task, space.axes);
  }
  shorten_names(space.axes);
  const std::string_view path = path_option(model);
  for (std::size_t a = 0; a < space.axes.size(); ++a) {
    if (space.axes[a].place == AxisPlace::option && space.axes[a].name == path && space.axes[a].words.empty()) {
      space.path_axis = static_cast<Index>(a);
    }
  }
  for (const double end : {0.0, 1.0}) {
    SearchPoint point;
    for (const SearchAxis& axis : space.axes) {
      point.push_back(axis.value_at(end));
    }
    model.check(space.settings_at(point));  // said now, not after all others were fitted
  }
  return space;
}

void add_scalings(SearchSpace& space, std::span<const ScalingRule> rules) {
  std::vector<std::string> words;
  for (const ScalingRule& rule : rules) {
    words.push_back(to_string(rule));
  }
  space.axes.push_back(choice_among("scaling", AxisPlace::scaling, std::move(words)));
}

Index add_class_weights(SearchSpace& space) {
  Index added = 0;
  for (const OptionDescription& option : space.model->options) {
    if (!option.when_unbalanced.empty() && !is_set(space.settings, option.name)) {
      space.axes.push_back(choice_among(option.name, AxisPlace::option, option.when_unbalanced));
      ++added;
    }
  }
  return added;
}

std::vector<double> usual_values(const SearchSpace& space, const Kernel& resolved) {
  std::vector<double> in_kernel;
  collect_values(space.kernel->node(), resolved.node(), in_kernel);
  std::vector<double> values;
  for (const SearchAxis& axis : space.axes) {
    if (axis.stage == AxisStage::ranges) {
      const bool is_kernels = axis.place == AxisPlace::kernel;
      const auto before =
          std::ranges::count(std::span(space.axes).first(values.size()), AxisPlace::kernel, &SearchAxis::place);
      values.push_back(is_kernels ? in_kernel[before] : std::nan(""));
    }
  }
  return values;
}

std::optional<ScalingRule> SearchSpace::scaling_at(const SearchPoint& point) const {
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (axes[a].place == AxisPlace::scaling) {
      return parse_scaling(axes[a].text(point[a]));
    }
  }
  return std::nullopt;
}

std::optional<Kernel> SearchSpace::kernel_at(const SearchPoint& point) const {
  if (!kernel) {
    return std::nullopt;
  }
  std::vector<double> values;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (axes[a].place == AxisPlace::kernel) {
      values.push_back(point[a]);
    }
  }
  std::span<const double> rest = values;
  return Kernel(with_values(kernel->node(), rest, has_option(*model, "optimize") ? Learning::learns : Learning::keeps));
}

std::vector<OptionSetting> SearchSpace::settings_at(const SearchPoint& point) const {
  std::vector<OptionSetting> result = settings;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (axes[a].place == AxisPlace::option) {
      result.push_back({axes[a].name, axes[a].text(point[a])});
    }
  }
  return result;
}

std::string SearchSpace::describe(const SearchPoint& point) const {
  std::vector<std::string> parts;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    parts.push_back(axes[a].name + "=" + axes[a].text(point[a]));
  }
  return join(parts, " ");
}

std::vector<PointGroup> SearchSpace::group(std::span<const SearchPoint> points) const {
  std::map<SearchPoint, std::size_t> places;  // of groups, by what their points share
  std::vector<std::vector<Index>> members;
  for (std::size_t p = 0; p < points.size(); ++p) {
    SearchPoint shared = points[p];
    if (path_axis >= 0) {
      shared[path_axis] = 0;
    }
    // Without a path every point stands for itself, also where one occurs twice.
    const std::size_t place =
        path_axis >= 0 ? places.try_emplace(shared, members.size()).first->second : members.size();
    members.resize(std::max(members.size(), place + 1));
    members[place].push_back(static_cast<Index>(p));
  }
  std::vector<PointGroup> groups;
  for (std::vector<Index>& list : members) {
    const SearchPoint& first = points[list.front()];
    PointGroup group{.path = {.kernel = kernel_at(first), .settings = settings_at(first)}, .points = {}};
    if (path_axis >= 0) {
      const auto axis = static_cast<std::size_t>(path_axis);
      const auto along = [&](Index p) { return points[p][axis]; };
      std::stable_sort(list.begin(), list.end(), [&](Index a, Index b) { return along(a) < along(b); });
      group.path.option = axes[axis].name;
      group.path.values.clear();
      for (const Index p : list) {
        group.path.values.push_back(along(p));
      }
      std::erase_if(group.path.settings, [&](const OptionSetting& setting) { return setting.name == axes[axis].name; });
    }
    group.points = std::move(list);
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace mercer
