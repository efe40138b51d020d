#include "test_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "file_roles.h"
#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/join_samples.h"
#include "mercer/data/preparation.h"
#include "mercer/kernels/column_uses.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/features/target_view.h"
#include "mercer/select/hypothesis/independence.h"
#include "mercer/select/hypothesis/two_sample.h"
#include "session.h"
#include "training_file.h"
#include "usage_error.h"

namespace mercer::program {

namespace {

struct TestFlags {
  RunFlags run;
  DataFlags data;
  std::string test;
  std::vector<std::string> files;
  std::string kernel = "rbf(gamma=median)";
  std::string target_kernel = "rbf(gamma=median)";
  std::string scale = "auto";
  std::string statistic = "quadratic";
  Index permutations = 1000;
  Index block_size = 0;
  double level = 0.05;
};

// What both tests print.
struct Printed {
  Json json;
  std::string heading;
  std::string hypothesis;  // that is rejected or not
};

void print_test(const TestFlags& flags, const TestResult& result, Printed printed, const Session& session) {
  Json& json = printed.json;
  json["statistic"] = result.statistic;
  json["p_value"] = result.p_value;
  json["level"] = flags.level;
  // JSON has no infinity: there is no threshold where no statistic could be rejected.
  json["threshold"] = std::isfinite(result.threshold) ? Json(result.threshold) : Json(nullptr);
  json["rejected"] = result.rejected;
  json["null"] = {{"kind", result.null.kind},
                  {"count", result.null.count},
                  {"mean", result.null.mean},
                  {"deviation", result.null.deviation}};
  json["rows_left_out"] = result.left_out;
  json["notes"] = result.notes;
  if (flags.run.json) {
    json["seconds"] = session.phases_as_json();
    print_json(json);
    return;
  }
  std::string text = printed.heading;
  const auto line = [&](const char* name, const std::string& value) {
    text += fmt::format("  {:<10} {}\n", name, value);
  };
  line("statistic", fmt::format("{} (threshold {})", readable(result.statistic), readable(result.threshold)));
  line("p-value", readable(result.p_value, 4));
  line("null", fmt::format("{} {}, mean {}, deviation {}",
                           counted(result.null.count, result.null.kind == "normal" ? "block" : "permutation"),
                           result.null.kind == "normal" ? "under a normal distribution" : "at random",
                           readable(result.null.mean), readable(result.null.deviation)));
  if (result.left_out > 0) {
    line("left out", counted(result.left_out, "row"));
  }
  for (const std::string& note : result.notes) {
    line("note", note);
  }
  text += fmt::format("{} at level {}: {}\n", result.rejected ? "rejected" : "not rejected", readable(flags.level),
                      printed.hypothesis);
  print(text);
}

Samples prepared_together(const TestFlags& flags, const Schema& schema, const CodingRule& coding,
                          const Samples& samples, const Run& run) {
  const ScalingRule rule =
      flags.scale == "auto" ? default_scaling(samples) : reading("--scale", [&] { return parse_scaling(flags.scale); });
  return reading("--scale", [&] { return fit_preparation(schema, coding, rule, samples); }).apply(samples, run);
}

// Columns of the first file, with the category levels of both.
Schema common_schema(const Schema& a, const Schema& b) {
  Schema common = a;
  if (a.kind == SampleKind::sparse && b.kind == SampleKind::sparse) {
    common.numeric_columns = std::max(a.numeric_columns, b.numeric_columns);
  }
  for (SchemaColumn& column : common.columns) {
    for (const SchemaColumn& other : b.columns) {
      for (const std::string& level : other.levels) {
        if (other.name == column.name &&
            std::find(column.levels.begin(), column.levels.end(), level) == column.levels.end()) {
          column.levels.push_back(level);
        }
      }
    }
  }
  return common;
}

bool numbers_words(const Schema& schema) {
  return std::ranges::any_of(schema.columns, [](const SchemaColumn& column) {
    return (column.kind == ColumnKind::set || column.kind == ColumnKind::graph) && !column.levels.empty();
  });
}

struct TwoSamples {
  Samples both;  // scaled together
  Index first = 0;
  std::vector<std::string> names;
};

TwoSamples two_files(const TestFlags& flags, Kernel& kernel, Session& session) {
  ReadOptions options = flags.data.read_options(coding_for(kernel, flags.data.missing_rule()).missing, &kernel);
  DataFile a = session.read(flags.files[0], options);
  kernel = kernel_for_file(kernel, a);
  const CodingRule coding = coding_for(kernel, flags.data.missing_rule());
  DataFile b = session.read(flags.files[1], options);
  const Schema common = common_schema(a.schema, b.schema);
  if (numbers_words(common)) {
    // Each file has numbered the members and labels that are words by itself: both need one list.
    if (std::ranges::find(flags.files, "-") != flags.files.end()) {
      throw UsageError("sets and graphs of words are read twice, which standard input cannot be; give two files");
    }
    options.schema = common;
    a = session.read(flags.files[0], options);
    b = session.read(flags.files[1], options);
  }
  const Samples x = naming_file(flags.files[0], [&] { return apply_schema(a.samples, common, session.run()); });
  const Samples y = naming_file(flags.files[1], [&] { return apply_schema(b.samples, common, session.run()); });
  return {prepared_together(flags, common, coding_of(coding, a.format), join_samples(x, y), session.run()), x.size(),
          flags.files};
}

// One file whose target says which sample a row belongs to.
TwoSamples two_labels(const TestFlags& flags, Kernel& kernel, Session& session) {
  const std::string& file = flags.files.front();
  const MissingRule missing = coding_for(kernel, flags.data.missing_rule()).missing;
  const DataFile data = session.read(file, flags.data.read_options(missing, &kernel));
  kernel = kernel_for_file(kernel, data);
  const CodingRule coding = coding_for(kernel, flags.data.missing_rule());
  if (!data.targets || data.targets->outputs() != 1) {
    throw UsageError("two-sample compares two files, or the rows of one file whose --target has two values");
  }
  const ClassLabels labels = data.targets->labels();
  if (labels.levels.size() != 2) {
    throw DataError({file}, fmt::format("the target has {} different values; a two-sample test compares two",
                                        labels.levels.size()));
  }
  std::vector<Index> rows(labels.codes.size());
  std::iota(rows.begin(), rows.end(), Index{0});
  const auto second = std::stable_partition(rows.begin(), rows.end(), [&](Index i) { return labels.codes[i] == 0; });
  const auto first = static_cast<Index>(second - rows.begin());
  return {
      prepared_together(flags, data.schema, coding_of(coding, data.format), data.samples.select(rows), session.run()),
      first, labels.levels};
}

void test_two_samples(const TestFlags& flags, Session& session) {
  Kernel kernel = reading("--kernel", [&] { return parse_kernel(flags.kernel); });
  TwoSampleOptions options;
  options.statistic = flags.statistic == "block"    ? MmdStatistic::block
                      : flags.statistic == "linear" ? MmdStatistic::linear
                                                    : MmdStatistic::quadratic;
  options.permutations = flags.permutations;
  options.level = flags.level;
  options.block_size = flags.block_size;
  options.memory_mb = std::max(64.0, session.memory_mb() / 4);
  const TwoSamples data =
      flags.files.size() == 2 ? two_files(flags, kernel, session) : two_labels(flags, kernel, session);
  session.bound_memory();
  const auto second = data.both.size() - data.first;
  const TwoSampleResult result = naming_file(flags.files.front(), [&] {
    return session.timed("test", [&] {
      return two_sample_test(kernel, data.both.slice({0, data.first}), data.both.slice({data.first, data.both.size()}),
                             options, session.run());
    });
  });
  Printed printed{{{"test", "two-sample"},
                   {"measure", "maximum mean discrepancy, squared"},
                   {"form", flags.statistic},
                   {"kernel", result.kernel.spec()},
                   {"samples", data.names},
                   {"rows", {data.first, second}}},
                  fmt::format("two-sample test by {} (MMD², {})\n  {:<10} {} of {}, {} of {}\n", result.kernel.spec(),
                              flags.statistic, "samples", counted(data.first, "row"), data.names[0],
                              counted(second, "row"), data.names[1]),
                  "both samples are from one distribution"};
  print_test(flags, result.test, std::move(printed), session);
}

void test_independence(const TestFlags& flags, Session& session) {
  if (flags.files.size() != 1) {
    throw UsageError("independence takes one file; --target names the columns that the others are compared with");
  }
  const std::string& file = flags.files.front();
  Kernel kernel = reading("--kernel", [&] { return parse_kernel(flags.kernel); });
  const Kernel target_kernel = reading("--target-kernel", [&] { return parse_kernel(flags.target_kernel); });
  const MissingRule missing = coding_for(kernel, flags.data.missing_rule()).missing;
  const DataFile data = session.read(file, flags.data.read_options(missing, &kernel));
  kernel = kernel_for_file(kernel, data);
  const CodingRule coding = coding_for(kernel, flags.data.missing_rule());
  if (!data.targets) {
    throw UsageError("independence needs --target: the columns that the others are compared with");
  }
  const Samples samples =
      prepared_together(flags, data.schema, coding_of(coding, data.format), data.samples, session.run());
  std::vector<Index> rows(samples.size());
  std::iota(rows.begin(), rows.end(), Index{0});
  IndependenceOptions options;
  options.permutations = flags.permutations;
  options.level = flags.level;
  options.memory_mb = std::max(64.0, session.memory_mb() / 2);
  session.bound_memory();
  const IndependenceResult result = naming_file(file, [&] {
    const Samples targets = target_samples(*data.targets, rows, {});
    return session.timed(
        "test", [&] { return independence_test(kernel, samples, target_kernel, targets, options, session.run()); });
  });
  std::vector<std::string> names;
  for (const TargetColumn& column : data.targets->columns()) {
    names.push_back(column.name.empty() ? "target" : column.name);
  }
  Printed printed{
      {{"test", "independence"},
       {"measure", "Hilbert-Schmidt independence criterion"},
       {"kernel", result.first_kernel.spec()},
       {"target_kernel", result.second_kernel.spec()},
       {"targets", names},
       {"rows", samples.size()}},
      fmt::format("independence test by {} and {} (HSIC)\n  {:<10} {} of {}, against {}\n", result.first_kernel.spec(),
                  result.second_kernel.spec(), "samples", counted(samples.size(), "row"), file, join(names, ", ")),
      fmt::format("{} and the other columns are independent", join(names, ", "))};
  print_test(flags, result.test, std::move(printed), session);
}

void run_test(const TestFlags& flags, Interruption& interruption) {
  FileRoles files;
  files.reads_data(flags.files.front(), flags.data);
  files.reads("the second sample", flags.files.size() > 1 ? flags.files[1] : "");
  files.prints("the test");
  files.check();
  Session session(flags.run, interruption);
  flags.test == "independence" ? test_independence(flags, session) : test_two_samples(flags, session);
}

}  // namespace

Action add_test(CLI::App& command) {
  const auto flags = std::make_shared<TestFlags>();
  command.add_option("TEST", flags->test, "two-sample, or independence")
      ->required()
      ->check(CLI::IsMember({"two-sample", "independence"}));
  command
      .add_option("DATA", flags->files,
                  "two-sample: two files, or one whose --target has two values; independence: one file")
      ->required()
      ->expected(1, 2);
  command.add_option("-k,--kernel", flags->kernel, "kernel on the samples (default rbf(gamma=median))")
      ->type_name("SPEC");
  command
      .add_option("--target-kernel", flags->target_kernel,
                  "independence: kernel on the targets; numbers are standardized, labels are columns of 0 and 1 "
                  "(default rbf(gamma=median))")
      ->type_name("SPEC");
  command
      .add_option(
          "--statistic", flags->statistic,
          "two-sample: quadratic (default; all pairs, judged by permutations), block or linear (less work, judged "
          "by a normal distribution)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"quadratic", "block", "linear"}));
  command.add_option("--permutations", flags->permutations, "random permutations (default 1000)")
      ->type_name("N")
      ->check(CLI::Range(Index{1}, Index{10000000}));
  command.add_option("--block", flags->block_size, "rows of each sample per block (default: the root of their number)")
      ->type_name("N")
      ->check(CLI::Range(Index{2}, Index{1000000000}));
  command.add_option("--level", flags->level, "reject where the p-value is at most this (default 0.05)")
      ->type_name("P")
      ->check(CLI::Range(1e-12, 1 - 1e-12));
  command
      .add_option("--scale", flags->scale,
                  "none, standard, deviation, maxabs, robust or minmax:-1,1 (default: standard, sparse data maxabs), "
                  "on all rows "
                  "together")
      ->type_name("RULE");
  add_data_flags(command, flags->data);
  add_run_flags(command, flags->run);
  add_examples(command,
               {"mercer test two-sample before.csv after.csv", "mercer test two-sample data.csv --target group",
                "mercer test two-sample a.csv b.csv --statistic block --level 0.01 --json",
                "mercer test independence data.csv --target y", "",
                "The exit code is 0 whatever the test says; --json prints p_value and rejected."});
  return [flags](Interruption& interruption) { run_test(*flags, interruption); };
}

}  // namespace mercer::program
