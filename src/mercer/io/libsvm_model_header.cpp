#include "mercer/io/libsvm_model_header.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "mercer/base/error.h"
#include "mercer/base/text.h"

namespace mercer::detail {

namespace {

struct HeaderLine {
  Index number = 0;
  std::vector<std::string_view> tokens;  // without the key
};

std::vector<std::string_view> tokens_of(std::string_view line) {
  constexpr std::string_view blanks = " \t\r";
  std::vector<std::string_view> tokens;
  for (;;) {
    const auto begin = line.find_first_not_of(blanks);
    if (begin == line.npos) {
      return tokens;
    }
    const auto end = std::min(line.find_first_of(blanks, begin), line.size());
    tokens.push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
}

// What a message may repeat of a hostile file.
std::string quoted(std::string_view token) {
  std::string text(token.substr(0, 40));
  for (char& c : text) {
    c = static_cast<unsigned char>(c) < 32 || static_cast<unsigned char>(c) > 126 ? '?' : c;
  }
  return "'" + text + (token.size() > 40 ? "…'" : "'");
}

class HeaderReader {
 public:
  HeaderReader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  LibsvmHeader read() {
    split();
    LibsvmHeader header;
    header.body = text_;
    header.body_line = line_ + 1;
    read_kind(header.model);
    read_kernel_parameters(header.model);
    read_classes(header);
    read_probabilities(header.model);
    for (const auto& [key, line] : lines_) {
      if (!used(key)) {
        fail(line.number, std::string(key) + " does not belong to a model of type " +
                              std::string(to_string(header.model.type)) + " with the kernel " +
                              std::string(to_string(header.model.kernel)));
      }
    }
    return header;
  }

 private:
  static constexpr std::array<std::string_view, 13> keys = {
      "svm_type", "kernel_type",        "degree", "gamma", "coef0", "nr_class", "total_sv", "rho", "label", "probA",
      "probB",    "prob_density_marks", "nr_sv"};

  [[noreturn]] void fail(Index line, const std::string& message) const { throw DataError({name_, line}, message); }

  // Cuts the text into lines up to "SV"; the rest stays in text_.
  void split() {
    for (;;) {
      if (text_.empty()) {
        fail(line_, line_ == 0 ? "the file is empty; a LIBSVM model begins with 'svm_type'"
                               : "the file ends before the line 'SV'; it is cut short or no LIBSVM model");
      }
      ++line_;
      const auto end = std::min(text_.find('\n'), text_.size());
      const auto tokens = tokens_of(text_.substr(0, end));
      text_.remove_prefix(std::min(end + 1, text_.size()));
      if (tokens.empty()) {
        continue;
      }
      if (tokens.front() == "SV") {
        return;
      }
      const auto* const key = std::find(keys.begin(), keys.end(), tokens.front());
      if (key == keys.end()) {
        fail(line_, quoted(tokens.front()) + " is not a word of LIBSVM models; this does not look like one");
      }
      if (!lines_.try_emplace(*key, HeaderLine{line_, {tokens.begin() + 1, tokens.end()}}).second) {
        fail(line_, std::string(*key) + " stands twice");
      }
    }
  }

  bool used(std::string_view key) const { return std::find(used_.begin(), used_.end(), key) != used_.end(); }
  bool has(std::string_view key) const { return lines_.contains(key); }

  const HeaderLine& line(std::string_view key) {
    used_.push_back(key);
    const auto found = lines_.find(key);
    if (found == lines_.end()) {
      fail(line_, "the line '" + std::string(key) + "' is missing before 'SV'");
    }
    return found->second;
  }

  const HeaderLine& line(std::string_view key, Index count) {
    const HeaderLine& found = line(key);
    if (static_cast<Index>(found.tokens.size()) != count) {
      fail(found.number, std::string(key) + " has " + std::to_string(found.tokens.size()) + " numbers, " +
                             std::to_string(count) + " are needed");
    }
    return found;
  }

  double number(const HeaderLine& where, std::string_view token) const {
    const auto value = parse_double(token);
    if (!value || !std::isfinite(*value)) {
      fail(where.number, quoted(token) + " is not a finite number");
    }
    return *value;
  }

  Index integer(const HeaderLine& where, std::string_view token, Index smallest) const {
    // "+1" is a label as people write it.
    const auto value = parse_integer(token.starts_with('+') ? token.substr(1) : token);
    if (!value || *value < smallest || *value > std::numeric_limits<std::int32_t>::max()) {
      fail(where.number, quoted(token) + " is not an integer between " + std::to_string(smallest) + " and " +
                             std::to_string(std::numeric_limits<std::int32_t>::max()));
    }
    return *value;
  }

  std::vector<double> numbers(std::string_view key, Index count) {
    const HeaderLine& found = line(key, count);
    std::vector<double> values;
    for (const std::string_view token : found.tokens) {
      values.push_back(number(found, token));
    }
    return values;
  }

  template <class Enum>
  Enum choice(std::string_view key, std::initializer_list<Enum> all) {
    const HeaderLine& found = line(key, 1);
    std::vector<std::string> names;
    for (const Enum value : all) {
      names.emplace_back(to_string(value));
      if (names.back() == found.tokens.front()) {
        return value;
      }
    }
    fail(found.number,
         quoted(found.tokens.front()) + " is no " + std::string(key) + "; there are " + join(names, ", "));
  }

  void read_kind(LibsvmModel& model) {
    using enum LibsvmType;
    model.type = choice("svm_type", {c_svc, nu_svc, one_class, epsilon_svr, nu_svr});
    using enum LibsvmKernel;
    model.kernel = choice("kernel_type", {linear, polynomial, rbf, sigmoid, precomputed});
  }

  void read_kernel_parameters(LibsvmModel& model) {
    const bool polynomial = model.kernel == LibsvmKernel::polynomial;
    const bool sigmoid = model.kernel == LibsvmKernel::sigmoid;
    // Kernels that have no use for them may carry them: old versions wrote them all.
    if (polynomial || has("degree")) {
      const HeaderLine& found = line("degree", 1);
      model.degree = static_cast<int>(integer(found, found.tokens.front(), 0));
    }
    if (polynomial || sigmoid || model.kernel == LibsvmKernel::rbf || has("gamma")) {
      model.gamma = numbers("gamma", 1).front();
      if (model.gamma < 0) {
        fail(line("gamma").number, "gamma is negative; it must be 0 or greater");
      }
    }
    if (polynomial || sigmoid || has("coef0")) {
      model.coef0 = numbers("coef0", 1).front();
    }
  }

  void read_classes(LibsvmHeader& header) {
    LibsvmModel& model = header.model;
    const HeaderLine& classes = line("nr_class", 1);
    model.classes = integer(classes, classes.tokens.front(), 1);
    if (!is_classification(model.type) && model.classes != 2) {
      fail(classes.number, "nr_class must be 2 for one-class and regression models");
    }
    const HeaderLine& total = line("total_sv", 1);
    header.support_count = integer(total, total.tokens.front(), 0);
    model.rho = numbers("rho", model.machines());
    if (!is_classification(model.type)) {
      return;
    }
    const HeaderLine& labels = line("label", model.classes);
    for (const std::string_view token : labels.tokens) {
      model.labels.push_back(static_cast<int>(integer(labels, token, std::numeric_limits<std::int32_t>::min())));
    }
    const HeaderLine& sizes = line("nr_sv", model.classes);
    Index sum = 0;
    for (const std::string_view token : sizes.tokens) {
      model.class_sizes.push_back(integer(sizes, token, 0));
      sum += model.class_sizes.back();
    }
    if (sum != header.support_count) {
      fail(sizes.number,
           "nr_sv adds up to " + std::to_string(sum) + ", but total_sv is " + std::to_string(header.support_count));
    }
  }

  void read_probabilities(LibsvmModel& model) {
    const bool one_class = model.type == LibsvmType::one_class;
    model.has_probabilities = has(one_class ? "prob_density_marks" : "probA");
    if (!model.has_probabilities) {
      return;
    }
    if (one_class) {
      model.density_marks = numbers("prob_density_marks", 10);
      if (!std::is_sorted(model.density_marks.begin(), model.density_marks.end())) {
        fail(line("prob_density_marks").number, "prob_density_marks must ascend");
      }
      return;
    }
    model.probability_a = numbers("probA", model.machines());
    if (is_classification(model.type)) {
      model.probability_b = numbers("probB", model.machines());
    } else if (model.probability_a.front() < 0) {
      fail(line("probA").number, "probA is negative; it is the scale of noise");
    }
  }

  std::string_view text_;
  const std::string& name_;
  Index line_ = 0;
  std::map<std::string_view, HeaderLine> lines_;
  std::vector<std::string_view> used_;
};

}  // namespace

LibsvmHeader parse_libsvm_header(std::string_view text, const std::string& name) {
  return HeaderReader(text, name).read();
}

}  // namespace mercer::detail
