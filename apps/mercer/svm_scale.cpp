#include "svm_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "file_roles.h"
#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "output.h"
#include "scale_factors.h"

namespace mercer::program {

namespace {

struct ScaleArguments {
  double lower = -1;
  double upper = 1;
  bool scales_targets = false;
  double target_lower = 0;
  double target_upper = 0;
  std::string save;
  std::string restore;
  std::string data;
};

ScaleArguments parse(LibsvmArguments arguments) {
  ScaleArguments parsed;
  std::size_t i = 0;
  const auto value = [&]() -> const std::string& {
    if (++i >= arguments.size()) {
      throw WrongUsage();
    }
    return arguments[i];
  };
  for (; i < arguments.size() && arguments[i].starts_with('-') && arguments[i] != "-"; ++i) {
    switch (arguments[i][1]) {
      case 'l':
        parsed.lower = number_argument(value());
        break;
      case 'u':
        parsed.upper = number_argument(value());
        break;
      case 'y':
        parsed.target_lower = number_argument(value());
        parsed.target_upper = number_argument(value());
        parsed.scales_targets = true;
        break;
      case 's':
        parsed.save = value();
        break;
      case 'r':
        parsed.restore = value();
        break;
      default:
        throw WrongUsage("unknown option");
    }
  }
  if (!(parsed.upper > parsed.lower) || (parsed.scales_targets && !(parsed.target_upper > parsed.target_lower))) {
    throw CommandFailure("inconsistent lower/upper specification");
  }
  if (!parsed.save.empty() && !parsed.restore.empty()) {
    throw CommandFailure("cannot use -r and -s simultaneously");
  }
  if (arguments.size() != i + 1) {
    throw WrongUsage();
  }
  parsed.data = arguments[i];
  return parsed;
}

void say(const std::string& line) { tell(line + "\n"); }

void restore(const ScaleArguments& flags, ScaleFactors& factors) {
  const std::vector<ScaleFactors::Feature> in_data = factors.features;
  try {
    restore_factors(flags.restore, factors);
  } catch (const IoError&) {
    throw CommandFailure("can't open file " + flags.restore);
  } catch (const DataError& error) {
    throw CommandFailure(error.what());
  }
  // As LIBSVM does: index 0, which its files never hold, keeps the limits of the data.
  if (!in_data.empty() && !factors.features.front().is_known) {
    factors.features.front() = in_data.front();
  }
  for (std::size_t j = 1; j < factors.features.size(); ++j) {
    if (factors.features[j].is_known) {
      continue;
    }
    factors.features[j] = {};
    if (j < in_data.size() && in_data[j].smallest != in_data[j].largest) {
      say(
          fmt::format("WARNING: feature index {} appeared in file {} was not seen in the scaling factor file {}. The "
                      "feature is scaled to 0.",
                      j, flags.data, flags.restore));
    }
  }
}

ScaleFactors scale_factors(const ScaleArguments& flags, const DataFile& data) {
  ScaleFactors factors;
  factors.lower = flags.lower;
  factors.upper = flags.upper;
  factors.scales_targets = flags.scales_targets;
  factors.targets.lower = flags.target_lower;
  factors.targets.upper = flags.target_upper;
  measure_limits(data, factors);
  const bool counts_from_zero = !factors.features.empty() && factors.features.front().is_known;
  if (counts_from_zero) {
    say("WARNING: minimal feature index is 0, but indices should start from 1");
  }
  if (!flags.restore.empty()) {
    restore(flags, factors);
  }
  if (!flags.save.empty()) {
    if (counts_from_zero) {
      say(fmt::format("WARNING: scaling factors with indices smaller than 1 are not stored to the file {}.",
                      flags.save));
    }
    try {
      save_factors(flags.save, factors);
    } catch (const IoError&) {
      throw CommandFailure("can't open file " + flags.save);
    }
  }
  return factors;
}

/// Scaled rows as text. A feature that is not stored may be scaled to something: those are found once (from index 1, as
/// LIBSVM counts).
class RowWriter {
 public:
  RowWriter(const ScaleFactors& factors, const DataFile& data)
      : factors_(factors),
        rows_(data.samples.as<SparseRows<double>>()),
        targets_(data.targets->columns().front().values) {
    for (std::size_t j = 1; j < factors.features.size(); ++j) {
      const ScaleRange range = factors.range_of(j);
      const double value = range.is_constant() ? 0.0 : range.apply(0);
      if (value != 0) {
        std::string text;
        append_feature(text, j, value);
        zeros_.push_back({j, std::move(text)});
      }
    }
  }

  /// Appends the line of row i and gives the number of features in it.
  Index append(std::string& text, Index i) const {
    const double target = targets_[i];
    append_exact(text, factors_.scales_targets ? factors_.targets.apply(target) : target);
    text += ' ';
    Index count = 0;
    auto zero = zeros_.begin();
    for (std::int64_t at = rows_.offsets[i]; at < rows_.offsets[i + 1]; ++at) {
      const auto j = static_cast<std::size_t>(rows_.column_numbers[at]);
      for (; zero != zeros_.end() && zero->index < j; ++zero, ++count) {
        text += zero->text;
      }
      if (zero != zeros_.end() && zero->index == j) {
        ++zero;
      }
      const ScaleRange range = factors_.range_of(j);
      const double value = range.is_constant() ? 0.0 : range.apply(rows_.values[at]);
      if (value != 0) {
        append_feature(text, j, value);
        ++count;
      }
    }
    for (; zero != zeros_.end(); ++zero, ++count) {
      text += zero->text;
    }
    text += '\n';
    return count;
  }

 private:
  struct Zero {
    std::size_t index;
    std::string text;
  };

  static void append_feature(std::string& text, std::size_t index, double value) {
    char buffer[24];
    text.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, index).ptr);
    text += ':';
    append_short(text, value);
    text += ' ';
  }

  const ScaleFactors& factors_;
  const SparseRows<double>& rows_;
  const std::vector<double>& targets_;
  std::vector<Zero> zeros_;
};

Index print_rows(const RowWriter& writer, Index rows, const Run& run) {
  constexpr Index rows_per_piece = 1024;
  constexpr Index pieces_at_once = 16;
  std::vector<std::string> texts(pieces_at_once);
  std::vector<Index> counts(pieces_at_once);
  Index total = 0;
  const Index pieces = block_count(rows, rows_per_piece);
  for (Index first = 0; first < pieces; first += pieces_at_once) {
    const Index here = std::min(pieces_at_once, pieces - first);
    parallel_for(run, here, [&](Index p) {
      const auto slot = static_cast<std::size_t>(p);
      texts[slot].clear();
      counts[slot] = 0;
      const IndexRange range = block_range(rows, rows_per_piece, first + p);
      for (Index i = range.begin; i < range.end; ++i) {
        counts[slot] += writer.append(texts[slot], i);
      }
    });
    for (Index p = 0; p < here; ++p) {
      print(texts[p]);
      total += counts[p];
    }
  }
  return total;
}

}  // namespace

void svm_scale(LibsvmArguments arguments, Interruption& interruption) {
  const ScaleArguments flags = parse(arguments);
  FileRoles files;
  files.reads("the data", flags.data);
  files.reads("the scale file", flags.restore);
  files.writes("the scaled data", "", "-", OutputContent::other);
  files.writes("the scale file", "-s", flags.save, OutputContent::other);
  files.check_identity();
  const LibsvmRun run(interruption);
  const DataFile data = read_libsvm_data(flags.data, "file", 0, run);
  const ScaleFactors factors = scale_factors(flags, data);
  const auto& rows = data.samples.as<SparseRows<double>>();
  const Index before = rows.offsets[rows.rows];
  const Index after = print_rows(RowWriter(factors, data), rows.rows, run);
  if (after > before) {
    say(
        fmt::format("WARNING: original #nonzeros {}\n       > new      #nonzeros {}\n"
                    "If feature values are non-negative and sparse, use -l 0 rather than the default -l -1",
                    before, after));
  }
}

}  // namespace mercer::program
