// Relevances of the columns, from one length scale each.
import * as Plot from "@observablehq/plot";
import { draw_plot, name_margin, shortened, tip_look, x_axis } from "../charts/plot";
import { figure_element } from "../figure";
import { number_text } from "../format";
import type { Report } from "../report";
import type { Section } from "../section";

const most_shown = 40;

export function relevance_section(report: Report): Section | null {
  const relevance = report.relevance;
  if (!relevance || relevance.columns.length === 0) return null;
  const columns = relevance.columns.flatMap((column) => (column.relevance === null ? [] : [{ ...column, relevance: column.relevance }]))
    .sort((a, b) => b.relevance - a.relevance);
  const shown = columns.slice(0, most_shown);
  const more = columns.length > shown.length ? ` The ${most_shown} most relevant of ${columns.length} are drawn.` : "";
  const top = columns[0];
  return {
    id: "relevance",
    title: "Relevance of the columns",
    group: "What it learnt",
    lead: `${top ? `The kernel looks most at ${top.name}: ` : ""}the longer the bar, the sooner a change of the column changes the prediction. ${relevance.how}${more}`,
    body: () => [figure_element({
      title: "Relevance by column",
      widest: 760,
      numbers: () => ({ columns: ["column", "relevance", "length scale"], rows: columns.map((column) => [column.name, column.relevance, column.lengthscale]) }),
      draw: (width) => {
        const rows = shown.map((column) => ({ ...column, short: shortened(column.name, width) }));
        return draw_plot({
          width, height: 62 + 24 * rows.length, marginTop: 6, marginRight: 56, marginLeft: name_margin(rows.map((row) => row.short), width),
          x: x_axis("relevance", { ticks: Math.max(3, width / 110) }),
          y: { label: null, tickSize: 0, domain: rows.map((row) => row.name), tickFormat: (name: string) => shortened(name, width) },
          marks: [
            Plot.barX(rows, { x: "relevance", y: "name", fill: "var(--class-0)", fillOpacity: 0.85, insetTop: 3, insetBottom: 3, rx2: 2, tip: tip_look,
              title: (row: (typeof rows)[number]) => `${row.name}\nrelevance ${number_text(row.relevance)}${row.lengthscale == null ? "" : `\nlength scale ${number_text(row.lengthscale)}`}` } as Plot.BarXOptions),
            Plot.text(rows, { x: "relevance", y: "name", dx: 6, textAnchor: "start", fill: "var(--ink)", text: (row: (typeof rows)[number]) => number_text(row.relevance, 3) }),
          ],
        }, { name: "Relevance by column", description: rows.slice(0, 10).map((row) => `${row.name} ${number_text(row.relevance, 3)}`).join(", ") });
      },
    })],
  };
}
