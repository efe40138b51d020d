// The head of the page: what was fitted, on what it was judged, the few numbers that matter most.
import { element } from "./dom";
import { count_text, plural } from "./format";
import { metric_interval, metric_value } from "./metric_text";
import { range_element, range_domain } from "./charts/range";
import type { DataFacts, Metric, Report } from "./report";

const tiles = 4;

export function header_element(report: Report): HTMLElement {
  const metrics = (report.metrics ?? []).filter((metric) => metric.value !== null).slice(0, tiles);
  return element(
    "header",
    {},
    element("p", { class: "eyebrow" }, `${report.model.name} · ${report.model.task}`),
    element("h1", {}, report.title),
    element("p", { class: "summary" }, report.model.summary),
    report.model.kernel ? element("p", { class: "kernel" }, element("code", {}, report.model.kernel)) : null,
    report.data ? element("p", { class: "judged" }, judged_on(report.data, report.model.task)) : null,
    metrics.length > 0 ? element("div", { class: "tiles" }, ...metrics.map((metric) => tile_element(metric, report.model.task === "density" ? "one normal distribution" : "trivial baseline"))) : null,
  );
}

function judged_on(data: DataFacts, task: string): string {
  const size = `${plural(data.rows, "row")} and ${plural(data.columns, "column")} of ${data.file}`;
  if (task === "features" || task === "clustering") {
    if (data.part === "training") return `Shown on the rows it was fitted to: ${size}.`;
    return `Shown on ${size}${data.train_rows ? `, after a fit to ${count_text(data.train_rows)} others` : ""}.`;
  }
  if (data.part === "training") return `Judged on the rows it was fitted to: ${size}. Expect worse on new rows.`;
  const fitted = data.train_rows ? `, after a fit to ${count_text(data.train_rows)} others` : "";
  return `Judged on ${size}${fitted}.`;
}

function tile_element(metric: Metric, baseline_name: string): HTMLElement {
  const interval = metric_interval(metric);
  return element(
    "div",
    { class: "tile", title: metric.meaning },
    element("p", { class: "name" }, metric.name),
    element("p", { class: "value" }, metric_value(metric)),
    range_element(metric, range_domain(metric)),
    element("p", { class: "beside" },
      interval ? `${interval}` : "",
      interval && metric.baseline !== null ? element("br") : null,
      metric.baseline !== null ? `${baseline_name} ${metric_value({ ...metric, value: metric.baseline })}` : ""),
  );
}
