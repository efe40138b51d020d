// compress(): a fitted model by fewer centres, and what that costs.
#include "mercer/models/compress/compress.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bind.h"
#include "call.h"
#include "stored_model.h"

namespace mercer::python {

namespace {

struct Compressed {
  CompressedModel result;
  std::optional<CompressAgreement> agreement;
};

nb::dict agreement_of(const CompressAgreement& agreement) {
  nb::dict entry;
  entry["rows"] = agreement.rows;
  entry["rmse"] = agreement.rmse;
  const auto set = [&](const char* name, const std::optional<double>& value) {
    if (value) {
      entry[name] = *value;
    }
  };
  set("same_labels", agreement.same_labels);
  set("errors_before", agreement.errors_before);
  set("errors_after", agreement.errors_after);
  return entry;
}

nb::dict report_of(const Compressed& compressed) {
  const CompressReport& report = compressed.result.report;
  nb::list outputs;
  for (const CompressReport::Output& output : report.outputs) {
    nb::dict entry;
    entry["name"] = output.name;
    entry["norm"] = output.norm;
    entry["error"] = output.error;
    entry["offset_shift"] = output.offset_shift;
    outputs.append(entry);
  }
  nb::dict result;
  result["method"] = std::string(to_string(report.method));
  result["centers_before"] = report.centers_before;
  result["centers_after"] = report.centers_after;
  result["norm"] = report.norm();
  result["error"] = report.error();
  result["outputs"] = outputs;
  result["notes"] = report.notes;
  if (compressed.agreement) {
    result["agreement"] = agreement_of(*compressed.agreement);
  }
  return result;
}

// (model, report); where there are samples, constants are refitted to them and the report says how both agree there.
nb::tuple compressed(const StoredModel& stored, const std::optional<Samples>& samples, const nb::object& y,
                     const std::optional<nb::sequence>& classes, Index size, const std::string& method, bool per_output,
                     Index refinement, int threads, std::uint64_t seed, const nb::object& progress) {
  const CompressOptions options{.size = size,
                                .method = compress_method_named(method),
                                .sharing = per_output ? CenterSharing::each : CenterSharing::shared,
                                .refinement = refinement};
  const bool labeled = !y.is_none();
  Targets targets = targets_of(y, classes);
  Compressed done = call({.threads = threads, .seed = seed, .progress = progress}, [&](const Run& run) {
    if (!samples) {
      return Compressed{compress(*stored.model, options, nullptr, run), {}};
    }
    const TrainingData data{.samples = stored.preparation.apply(*samples, run), .targets = std::move(targets)};
    Compressed work{compress(*stored.model, options, &data, run), {}};
    work.agreement = agreement(*stored.model, *work.result.model, data.samples, labeled ? &data.targets : nullptr, run);
    return work;
  });
  const nb::dict report = report_of(done);
  const bool has_classes = !done.result.model->classes().empty();
  return nb::make_tuple(StoredModel{.model = std::move(done.result.model),
                                    .preparation = stored.preparation,
                                    .label_kind = has_classes ? stored.label_kind : std::nullopt},
                        report);
}

}  // namespace

void bind_compress(nb::module_& module) {
  module.def("compress", &compressed, nb::arg("model"), nb::arg("x").none() = nb::none(),
             nb::arg("y").none() = nb::none(), nb::arg("classes").none() = nb::none(), nb::arg("size") = 50,
             nb::arg("method") = "auto", nb::arg("per_output") = false, nb::arg("refinement") = 300,
             nb::arg("threads") = 0, nb::arg("seed") = 0, nb::arg("progress").none() = nb::none());
}

}  // namespace mercer::python
