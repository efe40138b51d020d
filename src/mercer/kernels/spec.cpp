#include "mercer/kernels/spec.h"

#include <algorithm>
#include <ranges>
#include <variant>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/kernels/algebra.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/spec_reader.h"

namespace mercer {

namespace {

constexpr std::size_t longest_spec = 1'000'000;
// Nodes are visited recursively everywhere, so this bounds the stack of all later work, too.
constexpr int greatest_height = 100;

// A kernel, or a number: what it scales comes later, and a number that scales nothing is a constant kernel.
struct Term {
  std::variant<ParameterValue, Kernel> value;
  std::size_t offset = 0;
  int height = 1;

  bool is_number() const { return std::holds_alternative<ParameterValue>(value); }
  const ParameterValue& number() const { return std::get<ParameterValue>(value); }
};

using GivenParameters = std::vector<std::pair<std::string, ParameterValue>>;

struct Arguments {
  std::vector<Kernel> kernels;
  GivenParameters parameters;
  int height = 0;
};

// Recursive descent, one function per rule of the grammar.
class SpecParser : private SpecReader {
 public:
  SpecParser(std::string_view text, std::span<const KernelEntry* const> own) : SpecReader(text), own_(own) {}

  Kernel parse() {
    const Term term = sum();
    if (!lexer().peek().is(SpecTokenKind::end)) {
      unexpected("'+', '*' or the end");
    }
    return kernel_of(term);
  }

 private:
  void check_height(int height, std::size_t offset) const {
    if (height > greatest_height) {
      reject(offset, "the expression is nested more than " + std::to_string(greatest_height) + " deep");
    }
  }

  Kernel kernel_of(const Term& term) const {
    if (!term.is_number()) {
      return std::get<Kernel>(term.value);
    }
    return at(term.offset, [&] {
      const std::vector<double>& value = term.number().numbers;
      // A constant kernel has a weight that may be learnt, so it is not negative; beside a conditional kernel any is fit.
      return value.size() == 1 && value.front() < 0 ? scaled(term.number(), make_kernel("constant", {}))
                                                    : make_kernel("constant", {{"value", term.number()}});
    });
  }

  Term sum() {
    Term first = product();
    if (!lexer().peek().is_symbol("+")) {
      return first;
    }
    int height = first.height;
    std::vector<Kernel> terms{kernel_of(first)};
    while (accept("+")) {
      const Term next = product();
      terms.push_back(kernel_of(next));
      height = std::max(height, next.height);
    }
    check_height(++height, first.offset);
    return {at(first.offset, [&] { return mercer::sum(std::move(terms)); }), first.offset, height};
  }

  Term product() {
    Term first = factor();
    if (!lexer().peek().is_symbol("*")) {
      return first;
    }
    const std::size_t offset = first.offset;
    std::vector<Term> scales;
    std::vector<Term> kernels;
    (first.is_number() ? scales : kernels).push_back(std::move(first));
    while (accept("*")) {
      Term next = factor();
      (next.is_number() ? scales : kernels).push_back(std::move(next));
    }
    if (kernels.empty()) {
      kernels.push_back(std::move(scales.back()));
      scales.pop_back();
    }
    return scaled_product(scales, kernels, offset);
  }

  // Numbers anywhere in a product scale the whole of it, the first one outermost.
  Term scaled_product(const std::vector<Term>& scales, const std::vector<Term>& kernels, std::size_t offset) const {
    int height = 0;
    std::vector<Kernel> factors;
    for (const Term& kernel : kernels) {
      factors.push_back(kernel_of(kernel));
      height = std::max(height, kernel.height);
    }
    height += (factors.size() > 1 ? 1 : 0) + static_cast<int>(std::min<std::size_t>(scales.size(), greatest_height));
    check_height(height, offset);
    Kernel result = factors.size() == 1 ? factors[0] : at(offset, [&] { return mercer::product(std::move(factors)); });
    for (const Term& scale : std::views::reverse(scales)) {
      result = at(scale.offset, [&] { return scaled(scale.number(), result); });
    }
    return {std::move(result), offset, height};
  }

  Term factor() {
    Term base = postfix();
    if (!accept("^")) {
      return base;
    }
    const std::size_t offset = lexer().peek().offset;
    const double exponent = number();
    if (lexer().peek().is_symbol("^")) {
      reject(lexer().peek().offset, "a second power needs parentheses: (k^2)^3");
    }
    check_height(base.height + 1, offset);
    return {at(offset, [&] { return pow(kernel_of(base), exponent); }), base.offset, base.height + 1};
  }

  Term postfix() {
    Term term = primary();
    while (lexer().peek().is_symbol("[")) {
      const std::size_t offset = lexer().peek().offset;
      ColumnSelection selection = columns();
      check_height(++term.height, offset);
      term.value = at(offset, [&] { return on_columns(kernel_of(term), std::move(selection)); });
    }
    return term;
  }

  Term primary() {
    const std::size_t offset = lexer().peek().offset;
    if (at_number()) {
      ParameterValue scale = number_or_range();
      if (lexer().peek().is_symbol("^")) {
        reject(lexer().peek().offset, "a second power needs parentheses");
      }
      qualifiers(scale);
      return {std::move(scale), offset};
    }
    if (accept("(")) {
      check_height(++nesting_, offset);
      Term inner = sum();
      expect(")", "'+', '*' or ')'");
      --nesting_;
      return inner;
    }
    if (!lexer().peek().is(SpecTokenKind::name)) {
      unexpected("a kernel, as in rbf(gamma=1)");
    }
    return call();
  }

  Term call() {
    const SpecToken name = lexer().take();
    const KernelEntry* const entry = find_kernel(name.text, own_);
    if (entry == nullptr) {
      reject(name.offset, "unknown kernel " + described(name) + "." + suggestion(name.text, kernel_names(own_)));
    }
    Arguments given;
    if (accept("(")) {
      check_height(++nesting_, name.offset);
      given = arguments(*entry);
      --nesting_;
    }
    check_child_count(*entry, given.kernels.size(), name.offset);
    check_height(given.height + 1, name.offset);
    const auto made = [&] { return make_kernel(*entry, std::move(given.parameters), std::move(given.kernels)); };
    return {at(name.offset, made), name.offset, given.height + 1};
  }

  void check_child_count(const KernelEntry& entry, std::size_t count, std::size_t offset) const {
    const auto fewest = static_cast<std::size_t>(entry.fewest_children);
    const auto most = static_cast<std::size_t>(entry.most_children);
    if (count < fewest || count > most) {
      const std::string allowed = most == fewest   ? std::to_string(fewest)
                                  : count < fewest ? "at least " + std::to_string(fewest)
                                                   : "at most " + std::to_string(most);
      reject(offset, entry.name + " takes " + allowed + (allowed == "1" ? " kernel" : " kernels") +
                         " as arguments, found " + std::to_string(count));
    }
  }

  Arguments arguments(const KernelEntry& entry) {
    Arguments given;
    if (accept(")")) {
      return given;
    }
    std::vector<const ParameterSpec*> seen;
    do {
      if (lexer().peek().is(SpecTokenKind::name) && lexer().peek_second().is_symbol("=")) {
        parameter(entry, seen, given);
      } else {
        kernel_argument(entry, given);
      }
    } while (accept(","));
    expect(")", "',' or ')' after the arguments of " + entry.name);
    return given;
  }

  void parameter(const KernelEntry& entry, std::vector<const ParameterSpec*>& seen, Arguments& given) {
    const SpecToken name = lexer().take();
    lexer().take();  // =
    const ParameterSpec& spec =
        *at(name.offset, [&] { return &parameter_named(entry.name, entry.parameters, name.text); });
    if (std::find(seen.begin(), seen.end(), &spec) != seen.end()) {
      reject(name.offset, entry.name + ": parameter '" + spec.name + "' is given twice");
    }
    seen.push_back(&spec);
    const std::size_t offset = lexer().peek().offset;
    ParameterValue given_value = value(spec);
    at(offset, [&] { require_allowed(entry.name, spec, given_value); });
    given.parameters.emplace_back(spec.name, std::move(given_value));
  }

  void kernel_argument(const KernelEntry& entry, Arguments& given) {
    const std::size_t offset = lexer().peek().offset;
    const std::string example =
        entry.parameters.empty() ? "" : ", as in " + entry.name + "(" + entry.parameters[0].name + "=...)";
    if (entry.most_children == 0 && !lexer().peek().is(SpecTokenKind::end)) {
      reject(offset, entry.name + (entry.parameters.empty()
                                       ? " takes no arguments"
                                       : " takes no kernels as arguments; parameters are named" + example));
    }
    if (!given.parameters.empty()) {
      reject(offset, "kernels come first, then parameters by name: " + entry.name + "(k, name=value)");
    }
    const Term term = sum();
    if (term.is_number()) {
      reject(offset, "a number has no name here: write which parameter it is" + example);
    }
    given.kernels.push_back(kernel_of(term));
    given.height = std::max(given.height, term.height);
  }

  std::span<const KernelEntry* const> own_;
  int nesting_ = 0;  // of parentheses, whether or not they make nodes
};

}  // namespace

Kernel parse_kernel(std::string_view text, std::span<const KernelEntry* const> own) {
  if (text.size() > longest_spec) {
    throw InvalidArgument("kernel spec: " + std::to_string(text.size()) + " characters; at most " +
                          std::to_string(longest_spec) + " are read");
  }
  if (trim(text).empty()) {
    throw InvalidArgument("kernel spec: the text is empty; write a kernel, as in rbf(gamma=scale)");
  }
  return SpecParser(text, own).parse();
}

}  // namespace mercer
