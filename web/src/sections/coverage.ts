// How often the intervals hold the truth.
import * as Plot from "@observablehq/plot";
import { draw_plot, tip_look, x_axis, y_axis } from "../charts/plot";
import { row_of } from "../figure";
import { percent_text } from "../format";
import type { Coverage, Report } from "../report";
import type { Section } from "../section";

export function coverage_section(report: Report): Section | null {
  const coverage = report.regression?.coverage;
  if (!coverage || coverage.nominal.length === 0) return null;
  const levels = coverage.nominal.map((nominal, i) => ({ nominal, observed: coverage.observed[i] ?? 0 }));
  return {
    id: "coverage",
    title: "Coverage of the intervals",
    group: "How well",
    lead: lead(coverage),
    body: () => [row_of({
      title: "Observed and nominal coverage",
      widest: 460,
      numbers: () => ({ columns: ["nominal", "observed"], rows: levels.map((level) => [level.nominal, level.observed]) }),
      draw: (width) => draw_plot({
        width, height: Math.round(0.85 * width), marginTop: 26, marginLeft: 50,
        x: x_axis("nominal level of the interval", { domain: [0, 1], ticks: 5, tickFormat: (d: number) => percent_text(d, 0) }),
        y: y_axis("share of rows inside", { domain: [0, 1], ticks: 5, tickFormat: (d: number) => percent_text(d, 0) }),
        marks: [
          Plot.link([0], { x1: [0], y1: [0], x2: [1], y2: [1], stroke: "var(--ink-soft)", strokeDasharray: "3 4" }),
          Plot.line(levels, { x: "nominal", y: "observed", stroke: "var(--class-0)", strokeWidth: 2 }),
          Plot.dot(levels, { x: "nominal", y: "observed", r: 4, fill: "var(--class-0)", tip: tip_look,
            title: (level: (typeof levels)[number]) => `nominal ${percent_text(level.nominal, 0)}\nobserved ${percent_text(level.observed)}` }),
          levels.length <= 6 ? Plot.text(levels, { x: "nominal", y: "observed", dx: 8, dy: 12, textAnchor: "start", fill: "var(--ink)", stroke: "var(--paper)", strokeWidth: 4,
            text: (level: (typeof levels)[number]) => percent_text(level.observed, 0) }) : null,
        ],
      }, { name: "Coverage of intervals", description: levels.map((level) => `nominal ${percent_text(level.nominal, 0)} observed ${percent_text(level.observed)}`).join("; ") }),
    })],
  };
}

function lead({ nominal, observed }: Coverage): string {
  const last = nominal.length - 1;
  return `Of the intervals meant to hold ${percent_text(nominal[last] ?? 0, 0)} of the true values, ${percent_text(observed[last] ?? 0)} do. ` +
    "On the diagonal intervals are as wide as they should be; below it they are too narrow, above it too wide.";
}
