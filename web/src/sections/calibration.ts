// How often a predicted probability comes true.
import * as Plot from "@observablehq/plot";
import { draw_plot, tip_look, x_axis, y_axis } from "../charts/plot";
import { chips_element } from "../chips";
import { redraw_within, row_of, type Figure } from "../figure";
import { count_text, fixed_text } from "../format";
import type { Calibration, Report } from "../report";
import type { Section } from "../section";
import { class_color } from "../theme";

interface Bin { predicted: number; observed: number; count: number }

export function calibration_section(report: Report): Section | null {
  const classes = (report.classification?.calibration ?? []).filter((entry) => bins_of(entry).length > 0);
  if (classes.length === 0) return null;
  return {
    id: "calibration",
    title: "Calibration",
    group: "How well",
    lead: lead(classes),
    body: () => {
      let chosen: number | null = null;
      const row = row_of(reliability(classes, () => chosen), usage(classes, () => chosen));
      if (classes.length === 1) return [row];
      const chips = chips_element("Classes", classes.map((entry, i) => ({
        name: entry.class, color: class_color(i), note: `off by ${fixed_text(distance(entry), 3)}`,
      })), "none", (index) => {
        chosen = index;
        redraw_within(row);
      });
      return [chips, row];
    },
  };
}

function bins_of(entry: Calibration): Bin[] {
  return entry.predicted.flatMap((predicted, i) => {
    const observed = entry.observed[i];
    const count = entry.count[i] ?? 0;
    return predicted === null || observed === null || observed === undefined || count === 0 ? [] : [{ predicted, observed, count }];
  });
}

// Mean distance from the diagonal, weighted by rows: the expected calibration error of the class.
function distance(entry: Calibration): number {
  const bins = bins_of(entry);
  const rows = bins.reduce((sum, bin) => sum + bin.count, 0);
  return bins.reduce((sum, bin) => sum + bin.count * Math.abs(bin.predicted - bin.observed), 0) / rows;
}

// Wilson's 95 % interval of the observed frequency.
export function wilson({ observed, count }: Bin): [number, number] {
  const z = 1.96;
  const middle = (observed + (z * z) / (2 * count)) / (1 + (z * z) / count);
  const half = (z * Math.sqrt((observed * (1 - observed)) / count + (z * z) / (4 * count * count))) / (1 + (z * z) / count);
  return [middle - half, middle + half];
}

function lead(classes: Calibration[]): string {
  const mean = classes.reduce((sum, entry) => sum + distance(entry), 0) / classes.length;
  return `On the diagonal a predicted probability comes true as often as it says; above it the model is too cautious, below it too sure. ` +
    `On average it is off by ${fixed_text(100 * mean, 1)} percentage points. Larger dots stand for more rows, bars are 95 % intervals of the frequency.`;
}

// All classes together, bin by bin.
function pooled(classes: Calibration[]): Calibration {
  const size = Math.max(...classes.map((entry) => entry.count.length));
  const columns: Calibration = { class: "all classes", predicted: [], observed: [], count: [] };
  for (let i = 0; i < size; ++i) {
    const count = classes.reduce((sum, entry) => sum + (entry.count[i] ?? 0), 0);
    const mean = (column: "predicted" | "observed") =>
      count === 0 ? null : classes.reduce((sum, entry) => sum + (entry.count[i] ?? 0) * (entry[column][i] ?? 0), 0) / count;
    columns.predicted.push(mean("predicted"));
    columns.observed.push(mean("observed"));
    columns.count.push(count);
  }
  return columns;
}

function reliability(classes: Calibration[], highlight: () => number | null): Figure {
  return {
    title: "Predicted and observed",
    note: `ten bins of the predicted probability${classes.length > 1 ? ", all classes together unless one is pressed" : ""}`,
    widest: 460,
    numbers: () => ({
      columns: ["class", "predicted", "observed", "rows"],
      rows: classes.flatMap((entry) => bins_of(entry).map((bin) => [entry.class, bin.predicted, bin.observed, bin.count])),
    }),
    draw: (width) => {
      const chosen = highlight();
      const one = classes.length === 1 ? classes[0] : chosen === null ? null : classes[chosen];
      const bins = bins_of(one ?? pooled(classes));
      const tone = one ? class_color(chosen ?? 0) : "var(--ink)";
      return draw_plot({
        width, height: Math.round(0.95 * width), marginLeft: 46, marginTop: 26,
        x: x_axis("predicted probability", { domain: [0, 1], ticks: 5 }),
        y: y_axis("observed frequency", { domain: [0, 1], ticks: 5 }),
        r: { range: [2.5, 8] },
        marks: [
          Plot.link([0], { x1: [0], y1: [0], x2: [1], y2: [1], stroke: "var(--ink-soft)", strokeDasharray: "3 4", strokeOpacity: 0.7 }),
          ...(one ? [] : classes.map((entry, i) => Plot.line(bins_of(entry), { x: "predicted", y: "observed", stroke: class_color(i), strokeOpacity: 0.22, strokeWidth: 1.2 }))),
          Plot.ruleX(bins, { x: "predicted", y1: (bin: Bin) => wilson(bin)[0], y2: (bin: Bin) => wilson(bin)[1], stroke: tone, strokeWidth: 1.3, strokeOpacity: 0.6 }),
          Plot.line(bins, { x: "predicted", y: "observed", stroke: tone, strokeWidth: 1.8, strokeOpacity: 0.8 }),
          Plot.dot(bins, { x: "predicted", y: "observed", r: "count", fill: tone, tip: tip_look,
            title: (bin: Bin) => `${one && classes.length > 1 ? `class ${one.class}\n` : ""}predicted ${fixed_text(bin.predicted, 3)}\nobserved ${fixed_text(bin.observed, 3)}\n${count_text(bin.count)} rows` }),
        ],
      }, { name: "Calibration curve", description: "observed frequency over predicted probability" });
    },
  };
}

function usage(classes: Calibration[], highlight: () => number | null): Figure {
  const bins = 10;
  const totals = () => {
    const chosen = highlight();
    const counts = Array.from({ length: bins }, () => 0);
    classes.forEach((entry, c) => {
      if (chosen !== null && chosen !== c) return;
      for (const bin of bins_of(entry)) {
        const at = Math.min(bins - 1, Math.floor(bin.predicted * bins));
        counts[at] = (counts[at] ?? 0) + bin.count;
      }
    });
    return counts.map((count, i) => ({ from: i / bins, to: (i + 1) / bins, count }));
  };
  return {
    title: "How the probabilities are spread",
    note: "a sure model uses the ends",
    widest: 460,
    numbers: () => ({ columns: ["from", "to", "rows"], rows: totals().map((bin) => [bin.from, bin.to, bin.count]) }),
    draw: (width) => {
      const data = totals();
      return draw_plot({
        width, height: Math.round(0.95 * width), marginLeft: 54, marginTop: 26,
        x: x_axis("predicted probability", { domain: [0, 1], ticks: 5, grid: false }),
        y: y_axis(classes.length > 1 ? "predictions" : "rows", { ticks: 5, tickFormat: (value: number) => (Number.isInteger(value) ? count_text(value) : "") }),
        marks: [
          Plot.rectY(data, {
            x1: "from", x2: "to", y: "count", fill: "var(--class-0)", fillOpacity: 0.75, insetLeft: 1, insetRight: 1,
            title: (bin: (typeof data)[number]) => `${fixed_text(bin.from, 1)} to ${fixed_text(bin.to, 1)}\n${count_text(bin.count)} predictions`, tip: tip_look,
          }),
          Plot.ruleY([0], { stroke: "var(--rule-strong)" }),
        ],
      }, { name: "Histogram of predicted probabilities", description: "number of predictions in ten bins" });
    },
  };
}
