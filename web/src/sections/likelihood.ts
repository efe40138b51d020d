// How likely a density finds the rows.
import { draw_histogram, histogram_table } from "../charts/histogram";
import { figure_element } from "../figure";
import { number_text, plural } from "../format";
import type { Report } from "../report";
import type { Section } from "../section";

export function likelihood_section(report: Report): Section | null {
  const rows = report.density?.rows;
  if (!rows) return null;
  const { edges, counts, zero, infinite } = rows;
  const total = counts.reduce((sum, count) => sum + count, 0) + zero + infinite;
  const notes = [
    zero > 0 ? ` ${plural(zero, "row")} of ${total} lie where the density is 0 and are not drawn.` : "",
    infinite > 0 ? ` ${plural(infinite, "row")} of ${total} lie where the density is infinite and are not drawn.` : "",
  ];
  const series = [{ name: "rows", color: "var(--class-0)", counts }];
  const range = edges.length > 1 ? `, from ${number_text(edges[0], 3)} to ${number_text(edges[edges.length - 1], 3)}` : "";
  return {
    id: "likelihood",
    title: "How likely the rows are",
    group: "How well",
    lead: `The logarithm of the density at every row${range}: rows far to the left are unusual, and one unit less is 2.7 times less likely.${notes.join("")}`,
    body: () => (edges.length < 2 ? [] : [figure_element({
      title: "Log-density of the rows",
      numbers: () => histogram_table(edges, series),
      draw: (width) => draw_histogram({ name: "Histogram of the log-density", x_name: "log-density", edges, series }, width, Math.min(300, Math.max(220, Math.round(0.36 * width)))),
    })]),
  };
}
