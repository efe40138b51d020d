#include "scale_factors.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libsvm_command.h"
#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/files/atomic_file.h"
#include "mercer/data/files/input_stream.h"

namespace mercer::program {

void measure_limits(const DataFile& data, ScaleFactors& factors) {
  const auto& rows = data.samples.as<SparseRows<double>>();
  const auto columns = static_cast<std::size_t>(rows.columns);
  std::vector<Index> counts(columns, 0);
  factors.features.assign(columns, {});
  for (std::int64_t at = rows.offsets[0]; at < rows.offsets[rows.rows]; ++at) {
    const auto column = static_cast<std::size_t>(rows.column_numbers[at]);
    const double value = rows.values[at];
    auto& feature = factors.features[column];
    feature.smallest = counts[column] == 0 ? value : std::min(feature.smallest, value);
    feature.largest = counts[column] == 0 ? value : std::max(feature.largest, value);
    feature.is_known = true;
    ++counts[column];
  }
  for (std::size_t j = 1; j < columns; ++j) {
    if (counts[j] < rows.rows) {
      factors.features[j].smallest = std::min(factors.features[j].smallest, 0.0);
      factors.features[j].largest = std::max(factors.features[j].largest, 0.0);
    }
  }
  const std::vector<double>& targets = data.targets->columns().front().values;
  const auto [smallest, largest] = std::minmax_element(targets.begin(), targets.end());
  factors.targets.smallest = *smallest;
  factors.targets.largest = *largest;
}

namespace {

// Lines of blank-separated tokens.
class FactorLines {
 public:
  explicit FactorLines(const std::string& path) : stream_(path) {}

  /// The next line that is not blank; empty at the end.
  std::vector<std::string> next() {
    for (;;) {
      std::string line;
      bool ended = true;
      for (char c = 0; stream_.read(&c, 1) == 1;) {
        ended = false;
        if (c == '\n') {
          break;
        }
        if (line.size() > 4096) {
          fail("a line is too long");
        }
        line += c;
      }
      ++number_;
      std::vector<std::string> tokens;
      for (const std::string& token : split(line, ' ')) {
        if (!trim(token).empty()) {
          tokens.emplace_back(trim(token));
        }
      }
      if (ended || !tokens.empty()) {
        return tokens;
      }
    }
  }

  double number(const std::string& token) const {
    const auto value = parse_double(token);
    if (!value || !std::isfinite(*value)) {
      fail("'" + token.substr(0, 40) + "' is not a finite number");
    }
    return *value;
  }

  std::vector<double> numbers(std::size_t count) {
    std::vector<double> values;
    const std::vector<std::string> tokens = next();
    if (tokens.size() != count) {
      fail("a line of " + std::to_string(count) + " numbers is needed here");
    }
    for (const std::string& token : tokens) {
      values.push_back(number(token));
    }
    return values;
  }

  [[noreturn]] void fail(const std::string& message) const { throw DataError({stream_.name(), number_}, message); }

 private:
  InputStream stream_;
  Index number_ = 0;
};

}  // namespace

void restore_factors(const std::string& path, ScaleFactors& factors) {
  FactorLines lines(path);
  std::vector<std::string> tokens = lines.next();
  if (tokens == std::vector<std::string>{"y"}) {
    const std::vector<double> scaled = lines.numbers(2);
    const std::vector<double> limits = lines.numbers(2);
    factors.scales_targets = true;
    factors.targets = {scaled[0], scaled[1], limits[0], limits[1]};
    tokens = lines.next();
  }
  if (tokens != std::vector<std::string>{"x"}) {
    lines.fail("a scale file of svm-scale has a line 'x' here");
  }
  const std::vector<double> scaled = lines.numbers(2);
  factors.lower = scaled[0];
  factors.upper = scaled[1];
  for (auto& feature : factors.features) {
    feature.is_known = false;
  }
  for (tokens = lines.next(); !tokens.empty(); tokens = lines.next()) {
    const auto index = parse_integer(tokens[0]);
    // A feature beyond the data costs memory up to its index: a hostile file must not ask for all of it.
    if (tokens.size() != 3 || !index || *index < 0 || *index > 100'000'000) {
      lines.fail("a line 'index min max' is needed here, with an index from 0 to 100000000");
    }
    const auto at = static_cast<std::size_t>(*index);
    if (at >= factors.features.size()) {
      factors.features.resize(at + 1);
    }
    factors.features[at] = {lines.number(tokens[1]), lines.number(tokens[2]), true};
  }
}

void save_factors(const std::string& path, const ScaleFactors& factors) {
  AtomicFile file(path, Compression::none);  // LIBSVM itself reads plain text alone
  const auto pair = [](double first, double second) {
    std::string text;
    append_exact(text, first);
    text += ' ';
    append_exact(text, second);
    return text + "\n";
  };
  if (factors.scales_targets) {
    file.write("y\n" + pair(factors.targets.lower, factors.targets.upper) +
               pair(factors.targets.smallest, factors.targets.largest));
  }
  file.write("x\n" + pair(factors.lower, factors.upper));
  for (std::size_t j = 1; j < factors.features.size(); ++j) {
    const auto& feature = factors.features[j];
    if (feature.smallest != feature.largest) {
      file.write(std::to_string(j) + " " + pair(feature.smallest, feature.largest));
    }
  }
  file.commit();
}

}  // namespace mercer::program
