// Bars over bins given by their edges, stacked by series.
import * as Plot from "@observablehq/plot";
import { draw_plot, tip_look, x_axis, y_axis } from "./plot";
import { count_text, number_text } from "../format";

export interface Series { name: string; color: string; counts: number[] }
export interface Histogram {
  name: string;
  x_name: string;
  y_name?: string;
  edges: number[];
  series: Series[];
  marks?: Plot.Markish[];
}

interface Bar { name: string; color: string; from: number; to: number; low: number; high: number }

export function stacked_bars(edges: number[], series: Series[]): Bar[] {
  const bars: Bar[] = [];
  for (let bin = 0; bin + 1 < edges.length; ++bin) {
    let low = 0;
    for (const { name, color, counts } of series) {
      const count = counts[bin] ?? 0;
      if (count > 0) bars.push({ name, color, from: edges[bin] ?? 0, to: edges[bin + 1] ?? 0, low, high: low + count });
      low += count;
    }
  }
  return bars;
}

export function draw_histogram(histogram: Histogram, width: number, height: number): Element {
  const bars = stacked_bars(histogram.edges, histogram.series);
  const first = histogram.edges[0] ?? 0;
  const last = histogram.edges[histogram.edges.length - 1] ?? 1;
  const several = histogram.series.length > 1;
  return draw_plot({
    width,
    height,
    x: x_axis(histogram.x_name, { domain: [first, last], grid: false, ticks: Math.max(3, width / 80) }),
    y: y_axis(histogram.y_name ?? "rows", { ticks: 5, nice: true, tickFormat: count_tick }),
    marks: [
      Plot.rect(bars, {
        x1: "from", x2: "to", y1: "low", y2: "high", fill: "color", insetLeft: 0.5, insetRight: 0.5,
        title: (bar: Bar) => `${several ? `${bar.name}\n` : ""}${number_text(bar.from, 3)} to ${number_text(bar.to, 3)}\n${count_text(bar.high - bar.low)} rows`,
        tip: tip_look,
      }),
      Plot.ruleY([0], { stroke: "var(--rule-strong)" }),
      ...(histogram.marks ?? []),
    ],
  }, { name: histogram.name, description: `histogram of ${histogram.x_name} in ${Math.max(0, histogram.edges.length - 1)} bins` });
}

// Numbers of rows are whole.
function count_tick(value: number): string {
  return Number.isInteger(value) ? count_text(value) : "";
}

// A vertical line with a word at its top.
export function marked_line(x: number, word: string, color = "var(--ink)"): Plot.Markish[] {
  return [
    Plot.ruleX([x], { stroke: color, strokeWidth: 1.4, strokeDasharray: "5 4" }),
    Plot.text([x], { x: [x], text: [word], frameAnchor: "top", dy: -14, fill: color, fontWeight: 550 }),
  ];
}

export function histogram_table(edges: number[], series: Series[]): { columns: string[]; rows: (number | undefined)[][] } {
  const bins = Array.from({ length: Math.max(0, edges.length - 1) }, (_, i) => i);
  return {
    columns: ["from", "to", ...series.map((entry) => entry.name)],
    rows: bins.map((bin) => [edges[bin], edges[bin + 1], ...series.map((entry) => entry.counts[bin])]),
  };
}
