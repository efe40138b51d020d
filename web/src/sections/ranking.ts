// ROC and precision-recall curves, one class against the rest.
import * as Plot from "@observablehq/plot";
import { draw_plot, nearest_tip, x_axis, y_axis } from "../charts/plot";
import { chips_element } from "../chips";
import { element } from "../dom";
import { redraw_within, row_of, type Figure } from "../figure";
import { fixed_text, number_text } from "../format";
import type { ClassCurves, Report } from "../report";
import type { Section } from "../section";
import { class_color } from "../theme";

interface Line { name: string; color: string; x: number[]; y: number[] }

export function ranking_section(report: Report): Section | null {
  const curves = report.classification?.curves ?? [];
  if (curves.length === 0) return null;
  return {
    id: "ranking",
    title: "ROC and precision-recall",
    group: "How well",
    lead: lead(curves),
    body: () => {
      let chosen: number | null = null;
      const highlight = () => chosen;
      const roc = curves.map(({ class: name, roc }, i) => ({ name, color: class_color(i), x: roc.fpr, y: roc.tpr }));
      const pr = curves.map(({ class: name, pr }, i) => ({ name, color: class_color(i), x: pr.recall, y: pr.precision }));
      const row = row_of(
        curves_figure("ROC", "toward the upper left is better", "false positive rate", "true positive rate", roc, highlight, "diagonal"),
        curves_figure("Precision and recall", "toward the upper right is better", "recall", "precision", pr, highlight, "none"),
      );
      const chips = chips_element("Classes", curves.map((curve, i) => ({
        name: curve.class, color: class_color(i), note: `AUC ${fixed_text(curve.roc.auc, 3)}  AP ${fixed_text(curve.pr.average, 3)}`,
      })), "none", (index) => {
        chosen = index;
        redraw_within(row);
      });
      return curves.length > 1 ? [chips, row] : [row];
    },
  };
}

function lead(curves: ClassCurves[]): string {
  const areas = curves.map((curve) => curve.roc.auc).filter((area): area is number => area !== null);
  const reading = "Every point of a curve is one threshold on the score: ROC weighs the positives found against false alarms, precision-recall against how many of those found are right.";
  if (areas.length === 0) return reading;
  const lowest = Math.min(...areas);
  const worst = curves.find((curve) => curve.roc.auc === lowest);
  if (curves.length === 1) {
    return `The score ranks a random row of class ${curves[0]?.class} above a random other row in ${number_text(100 * lowest, 4)} % of cases (the area under ROC). ${reading}`;
  }
  return `Each class against the rest; the hardest to rank is ${worst?.class}, with an area under ROC of ${fixed_text(lowest, 3)}. ${reading} Press a class to single it out.`;
}

// A square chart of lines over [0, 1]².
export function curves_figure(
  title: string, note: string, x_name: string, y_name: string, lines: Line[], highlight: () => number | null, reference: "diagonal" | "none",
): Figure {
  return {
    title,
    note,
    widest: 460,
    numbers: () => ({ columns: ["class", x_name, y_name], rows: lines.flatMap((line) => line.x.map((x, i) => [line.name, x, line.y[i]])) }),
    draw: (width) => {
      const chosen = highlight();
      const height = Math.round(0.95 * width);
      const shown = lines.filter((_, i) => chosen === null || chosen === i);
      const step = Math.max(1, Math.floor(shown.reduce((n, line) => n + line.x.length, 0) / 4000));
      const tips = shown.flatMap((line) => line.x.map((x, i) => ({ name: line.name, x, y: line.y[i] ?? 0 }))).filter((_, i) => i % step === 0);
      return draw_plot({
        width,
        height,
        marginLeft: 46,
        marginTop: 26,
        x: x_axis(x_name, { domain: [0, 1], ticks: 5 }),
        y: y_axis(y_name, { domain: [0, 1], ticks: 5 }),
        marks: [
          reference === "diagonal" ? Plot.link([0], { x1: [0], y1: [0], x2: [1], y2: [1], stroke: "var(--ink-soft)", strokeDasharray: "3 4", strokeOpacity: 0.7 }) : null,
          ...lines.map((line, i) => Plot.line({ length: line.x.length }, {
            x: line.x, y: line.y, stroke: line.color, strokeLinejoin: "round",
            strokeWidth: chosen === i || lines.length === 1 ? 2.5 : 1.6, strokeOpacity: chosen === null || chosen === i ? 1 : 0.14,
          })),
          nearest_tip(tips.map((tip) => tip.x), tips.map((tip) => tip.y), (i) => {
            const tip = tips[i];
            return tip ? `${lines.length > 1 ? `class ${tip.name}\n` : ""}${x_name} ${number_text(tip.x, 3)}\n${y_name} ${number_text(tip.y, 3)}` : "";
          }),
        ],
      }, { name: `${title} curve`, description: `${y_name} over ${x_name}, ${lines.length} ${lines.length === 1 ? "curve" : "curves"}` });
    },
  };
}

export function single_roc(x: number[], y: number[]): HTMLElement {
  const line = { name: "", color: "var(--class-0)", x, y };
  return element("div", {}, row_of(curves_figure("ROC", "toward the upper left is better", "false positive rate", "true positive rate", [line], () => null, "diagonal")));
}
