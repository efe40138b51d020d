// The distribution of the margin by true class.
import { draw_histogram, histogram_table, marked_line } from "../charts/histogram";
import { legend_element } from "../chips";
import { figure_element } from "../figure";
import { count_text } from "../format";
import type { Report } from "../report";
import type { Section } from "../section";
import { class_color } from "../theme";

export function margins_section(report: Report): Section | null {
  const margins = report.classification?.margins;
  if (!margins || margins.edges.length < 2) return null;
  const series = margins.classes.map((name, i) => ({ name, color: class_color(i), counts: margins.counts[i] ?? [] }));
  const first = margins.edges[0] ?? 0;
  const last = margins.edges[margins.edges.length - 1] ?? 0;
  return {
    id: "margins",
    title: "Margins",
    group: "How well",
    lead: "By how much the true class wins over the best other one: rows left of zero are mistakes, rows near zero are close calls.",
    body: () => [
      legend_element(series.map((entry) => ({ name: entry.name, color: entry.color, note: count_text(entry.counts.reduce((a, b) => a + b, 0)) }))),
      figure_element({
        title: "Histogram of the margin",
        note: "stacked by true class",
        numbers: () => histogram_table(margins.edges, series),
        draw: (width) => draw_histogram({
          name: "Margins by true class", x_name: "margin", edges: margins.edges, series,
          marks: first < 0 && last > 0 ? marked_line(0, "boundary") : [],
        }, width, Math.min(340, Math.max(240, Math.round(0.42 * width)))),
      }),
    ],
  };
}
