#include "compress.h"

#include <fmt/format.h>

#include <filesystem>

#include "file_roles.h"
#include "mercer/base/text.h"
#include "mercer/io/model_file.h"
#include "mercer/models/compress/compress.h"
#include "model_input.h"
#include "session.h"
#include "usage_error.h"

namespace mercer::program {

namespace {

struct CompressFlags {
  RunFlags run;
  DataFlags data;
  std::string model;
  std::string output;
  std::string file;
  std::string method = "auto";
  Index size = 0;
  Index refinement = CompressOptions{}.refinement;
  bool per_output = false;
  Replacing replacing = Replacing::models_only;
};

// What is told of one compression.
struct Summary {
  CompressReport report;
  std::string_view model_before;
  std::string_view model_after;
  std::optional<CompressAgreement> agreement = {};
  double bytes_before = 0;
  double bytes_after = 0;
};

double relative(double error, double norm) { return norm > 0 ? error / norm : 0; }

std::string percent(double fraction) { return readable(100 * fraction, 4) + " %"; }

Json as_json(const Summary& summary, const CompressFlags& flags, const Session& session) {
  const CompressReport& report = summary.report;
  Json outputs = Json::array();
  for (const CompressReport::Output& output : report.outputs) {
    outputs.push_back({{"name", output.name},
                       {"norm", output.norm},
                       {"error", output.error},
                       {"relative_error", relative(output.error, output.norm)},
                       {"offset_shift", output.offset_shift}});
  }
  Json json = {{"model", summary.model_after},
               {"from", {{"path", flags.model}, {"model", summary.model_before}, {"centres", report.centers_before}}},
               {"path", flags.output},
               {"centres", report.centers_after},
               {"method", to_string(report.method)},
               {"norm", report.norm()},
               {"error", report.error()},
               {"relative_error", relative(report.error(), report.norm())},
               {"outputs", std::move(outputs)}};
  if (report.evaluations > 0) {
    json["refinement"] = {{"evaluations", report.evaluations},
                          {"relative_error_before", relative(report.first_error, report.norm())}};
  }
  if (summary.agreement) {
    const CompressAgreement& agreement = *summary.agreement;
    Json on_data = {{"data", flags.file}, {"n", agreement.rows}, {"rmse", agreement.rmse}};
    if (agreement.same_labels) {
      on_data["same_answers"] = *agreement.same_labels;
    }
    if (agreement.errors_before) {
      on_data["errors_before"] = *agreement.errors_before;
      on_data["errors_after"] = *agreement.errors_after;
    }
    json["agreement"] = std::move(on_data);
  }
  json["bytes_before"] = summary.bytes_before;
  json["bytes_after"] = summary.bytes_after;
  json["notes"] = report.notes;
  json["seconds"] = session.phases_as_json();
  return json;
}

std::string agreement_as_text(const CompressAgreement& agreement, const std::string& file) {
  std::string text = fmt::format("  on {}, {}: ", file, counted(agreement.rows, "row"));
  if (agreement.same_labels) {
    text += fmt::format("{} of the answers are the same, ", percent(*agreement.same_labels));
  }
  text += fmt::format("root mean square difference {}", readable(agreement.rmse, 4));
  if (agreement.errors_before) {
    text += fmt::format("; errors {} before, {} after", percent(*agreement.errors_before),
                        percent(*agreement.errors_after));
  }
  return text + "\n";
}

std::string as_text(const Summary& summary, const CompressFlags& flags, const Session& session) {
  const CompressReport& report = summary.report;
  std::string text =
      fmt::format("{} ({}): {} in place of {}, by {}\n", flags.model, summary.model_before,
                  counted(report.centers_after, "centre"), report.centers_before, to_string(report.method));
  text += fmt::format("  error     {} of |f| = {}, that is {}", readable(report.error(), 4), readable(report.norm(), 4),
                      percent(relative(report.error(), report.norm())));
  text += report.evaluations > 0
              ? fmt::format(" ({} before the refinement)\n", percent(relative(report.first_error, report.norm())))
              : "\n";
  constexpr std::size_t most_listed = 20;
  if (report.outputs.size() > 1 && report.outputs.size() <= most_listed) {
    TextTable table({"function", "|f|", "error", "relative"}, {Align::left, Align::right, Align::right, Align::right});
    for (const CompressReport::Output& output : report.outputs) {
      table.add({output.name, readable(output.norm, 4), readable(output.error, 4),
                 percent(relative(output.error, output.norm))});
    }
    text += table.text("    ");
  }
  if (summary.agreement) {
    text += agreement_as_text(*summary.agreement, flags.file);
  }
  for (const std::string& note : report.notes) {
    text += "  note      " + wrapped(note, 100, 12) + "\n";
  }
  if (summary.model_after != summary.model_before) {
    text += fmt::format("  note      it is a {} model now: the mean alone, without variances\n", summary.model_after);
  }
  text += fmt::format("  time      {}\n  model     {}{}\n", readable_seconds(session.total_seconds()),
                      flags.output == "-" ? "written to standard output" : flags.output,
                      summary.bytes_after > 0 && summary.bytes_before > 0
                          ? fmt::format(", {} in place of {}", readable_bytes(summary.bytes_after),
                                        readable_bytes(summary.bytes_before))
                          : "");
  return text;
}

double size_of(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);  // of devices and pipes nobody knows
  return path == "-" || error ? 0.0 : static_cast<double>(size);
}

CompressOptions options_of(const CompressFlags& flags) {
  CompressOptions options;
  options.size = flags.size;
  options.refinement = flags.refinement;
  options.sharing = flags.per_output ? CenterSharing::each : CenterSharing::shared;
  try {
    options.method = compress_method_named(flags.method);
    options.validate();
  } catch (const InvalidArgument& error) {
    throw UsageError(error.what());
  }
  return options;
}

void compress(const CompressFlags& flags, Interruption& interruption) {
  const CompressOptions options = options_of(flags);
  FileRoles files;
  files.reads("the model that is compressed", flags.model);
  files.reads_data(flags.file, flags.data);
  files.writes_model(flags.output, flags.replacing);
  if (flags.run.json) {
    files.prints("the summary");
  }
  files.check();
  Session session(flags.run, interruption);
  StoredModel stored = session.timed("load", [&] { return load_model(flags.model, session.run()); });
  std::optional<TrainingData> data;
  if (!flags.file.empty()) {
    NewData read = read_for_model(flags.file, flags.data, stored, Presence::optional, session);
    data = TrainingData{std::move(read.samples), read.targets ? std::move(*read.targets) : Targets()};
  }
  session.bound_memory();
  CompressedModel small = session.timed(
      "compress", [&] { return mercer::compress(*stored.model, options, data ? &*data : nullptr, session.run()); });
  Summary summary{.report = std::move(small.report),
                  .model_before = stored.model->name(),
                  .model_after = small.model->name(),
                  .bytes_before = size_of(flags.model)};
  if (data) {
    summary.agreement = session.timed("compare", [&] {
      return naming_file(flags.file, [&] {
        return agreement(*stored.model, *small.model, data->samples, &data->targets, session.run());
      });
    });
  }
  const bool has_classes = !small.model->classes().empty();
  const StoredModel result{.model = std::move(small.model),
                           .preparation = stored.preparation,
                           .label_kind = has_classes ? stored.label_kind : std::nullopt};
  session.timed("write", [&] { session.write(flags.output, [&] { save_model(flags.output, result); }); });
  summary.bytes_after = size_of(flags.output);
  const Destination destination = flags.output == "-" ? Destination::standard_error : Destination::standard_output;
  if (flags.run.json) {
    print_json(as_json(summary, flags, session), destination);
  } else if (!flags.run.quiet) {
    tell(as_text(summary, flags, session), destination);
  }
}

}  // namespace

Action add_compress(CLI::App& command) {
  const auto flags = std::make_shared<CompressFlags>();
  command.add_option("MODEL", flags->model, "the model file; - is standard input")->required();
  command.add_option("--to", flags->size, "how many centres the small model has")->type_name("N")->required();
  command.add_option("-o,--output", flags->output, "the file of the small model; - is standard output")
      ->type_name("FILE")
      ->required();
  command
      .add_option("--method", flags->method,
                  "how the centres are found: " + join(compress_method_names(), ", ") +
                      " (default auto: construct for numeric columns, greedy otherwise)")
      ->type_name("NAME");
  command.add_flag("--per-output", flags->per_output,
                   "--to centres of its own for every function (machine of a classifier), in place of all shared");
  command
      .add_option("--refine", flags->refinement,
                  "evaluations of the joint refinement of constructed centres (default 300; 0: none)")
      ->type_name("N");
  command
      .add_option("--data", flags->file,
                  "data as at the fit: thresholds are refitted on it and both models compared; - is standard input")
      ->type_name("FILE");
  add_force_flag(command, flags->replacing);
  add_new_data_flags(command, flags->data);
  add_run_flags(command, flags->run);
  add_examples(command, {"mercer compress m.mercer --to 50 -o small.mercer",
                         "mercer compress m.mercer --to 50 --data train.csv -o small.mercer",
                         "mercer compress words.mercer --to 200 --method greedy -o small.mercer", "",
                         "The error is a distance in the kernel's space: no value changes by more than it times",
                         "sqrt(k(x,x))."});
  return [flags](Interruption& interruption) { compress(*flags, interruption); };
}

}  // namespace mercer::program
