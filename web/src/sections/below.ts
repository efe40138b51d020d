// How many targets lie below each fitted quantile.
import * as Plot from "@observablehq/plot";
import { draw_plot, tip_look, x_axis, y_axis } from "../charts/plot";
import { row_of } from "../figure";
import { number_text, percent_text } from "../format";
import type { Below, Report } from "../report";
import type { Section } from "../section";

export function below_section(report: Report): Section | null {
  const below = report.regression?.below;
  if (!below || below.levels.length === 0) return null;
  const shares = below.levels.map((level, i) => ({ level, observed: below.observed[i] ?? 0 }));
  return {
    id: "below",
    title: "Shares below the quantiles",
    group: "How well",
    lead: lead(below),
    body: () => [row_of({
      title: "Observed share and level",
      widest: 460,
      numbers: () => ({ columns: ["level", "share at or below"], rows: shares.map((share) => [share.level, share.observed]) }),
      draw: (width) => draw_plot({
        width, height: Math.round(0.85 * width), marginTop: 26, marginLeft: 50,
        x: x_axis("level of the quantile", { domain: [0, 1], ticks: 5, tickFormat: (d: number) => percent_text(d, 0) }),
        y: y_axis("share of rows at or below", { domain: [0, 1], ticks: 5, tickFormat: (d: number) => percent_text(d, 0) }),
        marks: [
          Plot.link([0], { x1: [0], y1: [0], x2: [1], y2: [1], stroke: "var(--ink-soft)", strokeDasharray: "3 4" }),
          Plot.line(shares, { x: "level", y: "observed", stroke: "var(--class-0)", strokeWidth: 2 }),
          Plot.dot(shares, { x: "level", y: "observed", r: 4, fill: "var(--class-0)", tip: tip_look,
            title: (share: (typeof shares)[number]) => `level ${number_text(share.level)}\nat or below ${percent_text(share.observed)}` }),
        ],
      }, { name: "Shares below quantiles", description: shares.map((share) => `level ${number_text(share.level)} observed ${percent_text(share.observed)}`).join("; ") }),
    })],
  };
}

function lead({ levels, observed }: Below): string {
  const distances = levels.map((level, i) => Math.abs((observed[i] ?? 0) - level));
  const worst = distances.indexOf(Math.max(...distances));
  return `Furthest from its level is ${number_text(levels[worst] ?? 0)}: ${percent_text(observed[worst] ?? 0)} of the rows lie at or below it. ` +
    "On the diagonal every quantile has its share below it; with levels beneath a half above the diagonal and the others below it, the functions follow the training rows too closely.";
}
