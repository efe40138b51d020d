// All metrics with their intervals, and the model beside simple ones.
import * as Plot from "@observablehq/plot";
import { draw_plot, extent, name_margin, shortened, tip_look, x_axis } from "../charts/plot";
import { range_domain, range_element } from "../charts/range";
import { element } from "../dom";
import { row_of, type Figure } from "../figure";
import { absent, number_text } from "../format";
import { beside_baseline, metric_interval, metric_value } from "../metric_text";
import type { Baseline, Metric, Report } from "../report";
import type { Section } from "../section";
import { table_element } from "../table";

export function metrics_section(report: Report): Section | null {
  const metrics = report.metrics ?? [];
  if (metrics.length === 0) return null;
  return {
    id: "metrics",
    title: "Metrics and baselines",
    group: "How well",
    lead: lead(metrics, report.model.task),
    body: () => {
      const rows = metrics.map((metric) => [
        element("span", { class: "name" }, metric.name),
        element("span", { class: "number" }, metric_value(metric)),
        element("span", { class: "number" }, metric_interval(metric) || absent),
        element("span", { class: "number" }, metric.baseline === null ? absent : metric_value({ ...metric, value: metric.baseline })),
        metric.value === null ? "" : element("span", {}, range_element(metric, range_domain(metric))),
        element("span", {}, verdict(metric), " ", element("span", { class: "soft" }, metric.meaning)),
      ]);
      const columns = ["Metric", "Value", "95 % interval", report.model.task === "density" ? "Normal distribution" : "Trivial baseline", "On its scale", "Meaning"];
      const figures = compared(metrics, report.baselines ?? []);
      return [
        table_element({ columns, rows }, "Metrics", { class: "wide metrics" }),
        ...(figures.length > 0
          ? [element("h3", {}, "Beside simpler models"), row_of(...figures), meanings(report.baselines ?? [])] : []),
      ];
    },
  };
}

function lead(metrics: Metric[], task: string): string {
  const judged = metrics.map(beside_baseline).filter((verdict) => verdict !== null);
  const better = judged.filter((verdict) => verdict === "better").length;
  if (task === "density") {
    return "How likely the model finds the rows, each value with its interval from the sampling of rows. Beside the log-density stands that of one normal distribution " +
      "with the mean and the covariance of the training rows: a difference of 0.1 means that rows are about 10 % more likely.";
  }
  const reading = "Each value has its interval from the sampling of rows, and beside it what a model that ignores the inputs would reach.";
  if (judged.length === 0) return reading;
  if (better === 0) return `The model is not clearly better than the trivial baseline in any metric that has one. ${reading}`;
  const by = better === judged.length ? "every metric that has one" : `${better} of ${judged.length} metrics that have one`;
  return `The model is clearly better than the trivial baseline in ${by}. ${reading}`;
}

function verdict(metric: Metric): HTMLElement | null {
  const result = beside_baseline(metric);
  if (result === null || result === "better") return null;
  return element("span", { class: `tag ${result}` }, result === "worse" ? "worse than the baseline" : "not clearly better than the baseline");
}

// One chart for every metric for which a simpler model was measured.
function compared(metrics: Metric[], baselines: Baseline[]): Figure[] {
  return metrics.flatMap((metric) => {
    const others = baselines.filter((baseline) => baseline.metric === metric.name && baseline.value !== null);
    return metric.value === null || others.length === 0 ? [] : [comparison(metric, others)];
  });
}

function comparison(metric: Metric, others: Baseline[]): Figure {
  const model = "this model";
  const rows = [{ name: model, value: metric.value }, ...others].map(({ name, value }) => ({ name, value: value as number }));
  const better = metric.better === "closer" ? "" : ` (${metric.better} is better)`;
  return {
    title: metric.name,
    note: metric.better === "closer" ? "" : `${metric.better} is better`,
    numbers: () => ({ columns: ["model", metric.name], rows: rows.map((row) => [row.name, row.value]) }),
    draw: (width) => {
      const short = rows.map((row) => ({ ...row, name: shortened(row.name, width) }));
      const [low, high] = extent([...rows.map((row) => row.value), metric.lower, metric.upper], 0.08);
      const start = low > 0 && low < 0.6 * high ? 0 : low;
      const unit = rows.every((row) => row.value >= 0 && row.value <= 1);
      return draw_plot({
        width,
        height: 58 + 30 * rows.length,
        marginLeft: name_margin(short.map((row) => row.name), width),
        marginRight: 52,
        marginTop: 6,
        x: x_axis(`${metric.name}${better}`, { domain: [unit && start < 0.5 ? 0 : start, unit ? Math.min(1, high) : high], ticks: Math.max(3, width / 90) }),
        y: { label: null, tickSize: 0, domain: short.map((row) => row.name) },
        marks: [
          Plot.ruleY(metric.lower === null || metric.upper === null ? [] : [model], {
            y: [model], x1: [metric.lower ?? 0], x2: [metric.upper ?? 0], stroke: "var(--accent)", strokeOpacity: 0.4, strokeWidth: 6, strokeLinecap: "round",
          }),
          Plot.dot(short, {
            x: "value", y: "name", r: 5, fill: (row: { name: string }) => (row.name === model ? "var(--accent)" : "var(--ink-soft)"),
            title: (row: { name: string; value: number }) => `${row.name}\n${number_text(row.value)}`, tip: tip_look,
          }),
          Plot.text(short, { x: "value", y: "name", dx: 10, textAnchor: "start", fill: "var(--ink)", stroke: "var(--paper)", strokeWidth: 4,
            text: (row: { value: number }) => number_text(row.value, 3) }),
        ],
      }, { name: `${metric.name} of this model and of simpler ones`, description: rows.map((row) => `${row.name} ${number_text(row.value)}`).join(", ") });
    },
  };
}

function meanings(baselines: Baseline[]): HTMLElement {
  const seen = new Map(baselines.map((baseline) => [baseline.name, baseline.meaning]));
  return element("p", { class: "note" }, [...seen].map(([name, meaning]) => `${name}: ${meaning}`).join(" "));
}
