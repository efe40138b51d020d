// Clusters: how many rows each holds, how tight it is, and how known labels are spread over them.
import * as Plot from "@observablehq/plot";
import { draw_histogram, histogram_table } from "../charts/histogram";
import { draw_plot, name_margin, tip_look, x_axis } from "../charts/plot";
import { legend_element } from "../chips";
import { element } from "../dom";
import { figure_element, type Figure } from "../figure";
import { count_text, fixed_text, number_text, percent_text, plural } from "../format";
import type { Clusters, Report } from "../report";
import type { Section } from "../section";
import { table_element } from "../table";
import { class_color } from "../theme";

export function clusters_section(report: Report): Section | null {
  const clusters = report.clusters;
  if (!clusters || clusters.names.length === 0) return null;
  return {
    id: "clusters",
    title: "The clusters",
    group: "What it learnt",
    lead: lead(clusters),
    body: () => [
      figure_element(sizes_figure(clusters)),
      ...column_parts(clusters),
      ...label_parts(clusters),
    ],
  };
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

function lead({ names, sizes, spreads, labels }: Clusters): string {
  const rows = sum(sizes);
  const filled = sizes.filter((size) => size > 0);
  const empty = names.length - filled.length;
  return `${plural(rows, "row")} in ${plural(names.length, "cluster")}, from ${count_text(Math.min(...filled))} to ${count_text(Math.max(...filled))} rows each` +
    `${empty > 0 ? `; ${empty} of them ${empty === 1 ? "holds" : "hold"} none of these rows` : ""}.` +
    `${spreads ? " The spread is the mean squared distance of its rows from the centre of the cluster, in feature space: the smaller, the tighter." : ""}` +
    `${labels ? ` By their most frequent ${labels.target} the clusters agree with ${percent_text(purity(labels.counts))} of the rows.` : ""}`;
}

// The share of rows whose label is the most frequent one of their cluster.
export function purity(counts: number[][]): number {
  return sum(counts.map((row) => Math.max(0, ...row))) / (sum(counts.map(sum)) || 1);
}

function sizes_figure({ names, sizes, spreads }: Clusters): Figure {
  const total = sum(sizes) || 1;
  const rows = names.map((name, i) => ({ name, size: sizes[i] ?? 0, spread: spreads?.[i] ?? null, color: class_color(i) }));
  return {
    title: "Rows by cluster",
    widest: 760,
    numbers: () => ({ columns: ["cluster", "rows", "share", ...(spreads ? ["spread"] : [])], rows: rows.map((row) => [row.name, row.size, row.size / total, ...(spreads ? [row.spread] : [])]) }),
    draw: (width) => draw_plot({
      width, height: 60 + 26 * rows.length, marginTop: 6, marginRight: spreads ? 190 : 90, marginLeft: name_margin(names, width),
      x: x_axis("rows", { ticks: Math.max(3, width / 140) }),
      y: { label: null, tickSize: 0, domain: names },
      marks: [
        Plot.barX(rows, { x: "size", y: "name", fill: "color", fillOpacity: 0.85, insetTop: 3, insetBottom: 3, tip: tip_look,
          title: (row: (typeof rows)[number]) => `${row.name}\n${count_text(row.size)} rows${row.spread === null ? "" : `\nspread ${number_text(row.spread)}`}` }),
        Plot.text(rows, { x: "size", y: "name", dx: 6, textAnchor: "start", fill: "var(--ink)",
          text: (row: (typeof rows)[number]) => `${count_text(row.size)} (${percent_text(row.size / total, 0)})${row.spread === null ? "" : `, spread ${number_text(row.spread, 3)}`}` }),
      ],
    }, { name: "Rows by cluster", description: rows.map((row) => `${row.name} ${row.size}`).join(", ") }),
  };
}

function column_parts({ histogram, column }: Clusters): HTMLElement[] {
  if (!histogram || !column) return [];
  const series = histogram.classes.map((name, i) => ({ name, color: class_color(i), counts: histogram.counts[i] ?? [] }));
  return [
    element("h3", {}, `Clusters along ${column}`),
    legend_element(series),
    figure_element({
      title: `Histogram of ${column}`,
      note: "stacked by cluster",
      numbers: () => histogram_table(histogram.edges, series),
      draw: (width) => draw_histogram({ name: `Histogram of ${column} by cluster`, x_name: column, edges: histogram.edges, series }, width, Math.min(340, Math.max(240, Math.round(0.42 * width)))),
    }),
  ];
}

function label_parts({ labels, names, sizes }: Clusters): HTMLElement[] {
  if (!labels) return [];
  const rows = names.map((name, i) => {
    const counts = labels.counts[i] ?? [];
    return [element("span", { class: "name" }, name), ...counts, element("span", { class: "number" }, sizes[i] ? fixed_text(Math.max(...counts) / (sum(counts) || 1), 3) : "")];
  });
  return [
    element("h3", {}, `Clusters and ${labels.target}`),
    table_element({ columns: ["Cluster", ...labels.names, "Largest share"], rows }, `Rows by cluster and ${labels.target}`),
  ];
}
