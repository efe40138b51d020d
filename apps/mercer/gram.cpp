#include "gram.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "file_roles.h"
#include "gram_blocks.h"
#include "gram_check.h"
#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/base/text.h"
#include "mercer/data/columns.h"
#include "mercer/data/preparation.h"
#include "mercer/kernels/column_uses.h"
#include "mercer/kernels/definiteness_on.h"
#include "mercer/kernels/spec.h"
#include "mercer/kernels/widths.h"
#include "mercer/linalg/symmetric_eigen.h"
#include "session.h"
#include "training_file.h"
#include "usage_error.h"

namespace mercer::program {

namespace {

struct GramFlags {
  RunFlags run;
  DataFlags data;
  std::string spec;
  std::string file;
  std::string scale = "none";
  std::string output;
  Index rows = 0;
  Index spectrum = 0;
  bool check = false;
};

// A definiteness check is n^3: what a few seconds allow.
constexpr Index rows_to_check = 2000;

struct Setting {
  Kernel kernel;  // widths resolved
  Samples samples;
  std::vector<Index> row_numbers;  // of the file, in the order of the samples
  Index rows_in_file = 0;
};

// The widths come from all rows, also where only some of them are looked at.
Setting prepare(const GramFlags& flags, const Kernel& given, const ScalingRule& rule, Session& session) {
  const MissingRule missing = coding_for(given, flags.data.missing_rule()).missing;
  const DataFile data = session.read(flags.file, flags.data.read_options(missing, &given));
  const Kernel kernel = kernel_for_file(given, data);
  const CodingRule coding = coding_for(kernel, flags.data.missing_rule());
  return session.timed("prepare", [&] {
    const Preparation preparation = naming_file(flags.file, [&] {
      return reading("--scale",
                     [&] { return fit_preparation(data.schema, coding_of(coding, data.format), rule, data.samples); });
    });
    const Samples samples = preparation.apply(data.samples, session.run());
    Setting setting{resolve_widths(kernel, samples, session.run()), samples, {}, samples.size()};
    Index limit = flags.rows;
    if (flags.check && limit == 0 && samples.size() > rows_to_check) {
      limit = rows_to_check;
      session.console().note(
          fmt::format("checking {} random rows of {}; --rows N takes another number", limit, samples.size()));
    }
    if (limit > 0 && limit < samples.size()) {
      RandomStream random(session.run().seed());
      setting.row_numbers = sample_without_replacement(random, samples.size(), limit);
      std::sort(setting.row_numbers.begin(), setting.row_numbers.end());
      setting.samples = samples.select(setting.row_numbers);
    } else {
      setting.row_numbers.resize(samples.size());
      std::iota(setting.row_numbers.begin(), setting.row_numbers.end(), Index{0});
    }
    return setting;
  });
}

// ---- Summary ----------------------------------------------------------------------------------------------------

void add_summary(const GramSummary& summary, Json& json, std::string& text) {
  json["entries"] = {{"smallest", summary.smallest}, {"largest", summary.largest}, {"mean", summary.mean}};
  json["diagonal"] = {{"smallest", summary.smallest_diagonal}, {"largest", summary.largest_diagonal}};
  text += fmt::format("  entries   {} .. {}, mean {}\n  diagonal  {} .. {}\n", readable(summary.smallest),
                      readable(summary.largest), readable(summary.mean), readable(summary.smallest_diagonal),
                      readable(summary.largest_diagonal));
  const Index size = summary.corner.rows();
  std::vector<std::string> headings = {"row"};
  for (Index j = 0; j < size; ++j) {
    headings.push_back(std::to_string(j));
  }
  TextTable table(std::move(headings), std::vector<Align>(static_cast<std::size_t>(size) + 1, Align::right));
  for (Index i = 0; i < size; ++i) {
    std::vector<std::string> cells = {std::to_string(i)};
    for (Index j = 0; j < size; ++j) {
      cells.push_back(readable(summary.corner(i, j), 4));
    }
    table.add(std::move(cells));
  }
  text += "\n" + table.text("  ");
}

// ---- Check ------------------------------------------------------------------------------------------------------

// In double precision always: what rounding does to float entries would pass for negative eigenvalues.
DefinitenessReport check(const Setting& setting, const Run& run) {
  const KernelGram<double> gram(
      std::make_shared<const PreparedKernel>(setting.kernel, setting.samples, Precision::double_precision, run));
  const Samples columns = default_columns(setting.samples);
  DefinitenessOptions options;
  options.coordinates = columns.is_numeric() ? columns : Samples();
  return check_definiteness(gram, options, run);
}

// ---- Spectrum ---------------------------------------------------------------------------------------------------

template <class T>
void add_spectrum(const KernelGram<T>& gram, Index count, Json& json, std::string& text, const Run& run) {
  const LeadingEigen<T> leading = leading_eigenpairs<T>(
      [&](ConstMatrixView<T> x, MatrixView<T> y) { gram.multiply(x, y, run); }, gram.size(), count, {}, run);
  run.check_stop();
  std::vector<double> diagonal(gram.size());
  gram.diagonal(diagonal);
  const double trace = std::accumulate(diagonal.begin(), diagonal.end(), 0.0);
  json["trace"] = trace;
  json["spectrum"] = leading.values;
  json["spectrum_status"] = to_string(leading.status);
  TextTable table({"number", "eigenvalue", "share of the trace", "together"},
                  {Align::right, Align::right, Align::right, Align::right});
  double together = 0;
  for (std::size_t i = 0; i < leading.values.size(); ++i) {
    const auto value = static_cast<double>(leading.values[i]);
    together += value;
    table.add({std::to_string(i + 1), readable(value, 7), fmt::format("{:.2f} %", 100 * value / trace),
               fmt::format("{:.2f} %", 100 * together / trace)});
  }
  text += fmt::format("\nlargest eigenvalues ({}, trace {}):\n", to_string(leading.status), readable(trace)) +
          table.text("  ");
}

template <class T>
void evaluate(const GramFlags& flags, const Kernel& requested, const Setting& setting, Session& session) {
  const KernelGram<T> gram(
      std::make_shared<const PreparedKernel>(setting.kernel, setting.samples, precision_of<T>, session.run()));
  const std::string definiteness = to_string(definiteness_on(setting.kernel, setting.samples, session.run()));
  Json json = {{"kernel", setting.kernel.spec()},
               {"requested_kernel", requested.spec()},
               {"definiteness", definiteness},
               {"n", gram.size()},
               {"rows_in_file", setting.rows_in_file}};
  std::string text = fmt::format("{}\n  on {} of {}; by its form {}\n", setting.kernel.spec(),
                                 counted(gram.size(), "row"), flags.file, definiteness);
  if (flags.check) {
    const DefinitenessReport report = session.timed("check", [&] { return check(setting, session.run()); });
    json["check"] = check_as_json(report, setting.row_numbers);
    text += check_as_text(report, setting.row_numbers);
  }
  if (flags.spectrum > 0) {
    session.timed("spectrum", [&] { add_spectrum(gram, flags.spectrum, json, text, session.run()); });
  }
  if (!flags.output.empty()) {
    session.timed("write",
                  [&] { session.write(flags.output, [&] { write_gram(flags.output, gram, session.run()); }); });
    json["path"] = flags.output;
    text += fmt::format("  written to {}\n", flags.output);
  }
  if (!flags.check && flags.spectrum == 0 && flags.output.empty()) {
    add_summary(session.timed("summary", [&] { return summarize(gram, session.run()); }), json, text);
  }
  const Destination destination = flags.output == "-" ? Destination::standard_error : Destination::standard_output;
  if (flags.run.json) {
    json["seconds"] = session.phases_as_json();
    print_json(json, destination);
  } else if (flags.output.empty() || flags.check || flags.spectrum > 0) {
    print(text, destination);
  } else if (flags.output != "-" && !flags.run.quiet) {
    tell(text, destination);  // the result is in the file
  }
}

void gram(const GramFlags& flags, Interruption& interruption) {
  const Kernel kernel = reading("", [&] { return parse_kernel(flags.spec); });
  const ScalingRule rule = reading("--scale", [&] { return parse_scaling(flags.scale); });
  FileRoles files;
  files.reads_data(flags.file, flags.data);
  files.writes("the matrix", "-o", flags.output, OutputContent::matrix);
  if (flags.run.json || flags.check || flags.spectrum > 0 || flags.output.empty()) {
    files.prints("what is found");
  }
  files.check();
  Session session(flags.run, interruption);
  const Setting setting = prepare(flags, kernel, rule, session);
  session.bound_memory();
  naming_file(flags.file, [&] {
    flags.data.precision == "float" ? evaluate<float>(flags, kernel, setting, session)
                                    : evaluate<double>(flags, kernel, setting, session);
  });
}

}  // namespace

Action add_gram(CLI::App& command) {
  const auto flags = std::make_shared<GramFlags>();
  command.add_option("SPEC", flags->spec, "the kernel, see 'mercer kernels'")->required();
  command
      .add_option(
          "DATA", flags->file,
          "data: CSV, LIBSVM, .npy, idx, FASTA or JSON lines, may be compressed; a folder of texts or graphs; - is "
          "standard input")
      ->required();
  command.add_flag("--check", flags->check,
                   "is the matrix positive definite? Its extreme eigenvalues; if it is not, a vector that shows it, "
                   "and whether it is conditionally positive definite");
  command.add_option("--spectrum", flags->spectrum, "the N largest eigenvalues")
      ->type_name("N")
      ->check(CLI::Range(Index{1}, Index{100000}));
  command
      .add_option("-o,--output", flags->output,
                  "write the matrix: .npy, or CSV, both compressed as in K.npy.gz; - is CSV on standard output")
      ->type_name("FILE");
  command
      .add_option("--rows", flags->rows,
                  "only so many rows, chosen at random by --seed (default: all; 2000 for --check)")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  command.add_option("--scale", flags->scale, "none (default), standard, deviation, maxabs, robust or minmax:-1,1")
      ->type_name("RULE");
  add_data_flags(command, flags->data);
  add_run_flags(command, flags->run);
  add_examples(command,
               {"mercer gram --check \"rbf(gamma=0.5)*poly(degree=2) + 0.1*linear()\" data.csv",
                "mercer gram \"rbf(gamma=median)\" data.csv --target label --spectrum 10",
                "mercer gram \"matern(nu=1.5)[age, bmi]\" data.csv -o K.npy", "",
                "Without --check, --spectrum or -o: what the entries are like. Columns of --target are left out."});
  return [flags](Interruption& interruption) { gram(*flags, interruption); };
}

}  // namespace mercer::program
