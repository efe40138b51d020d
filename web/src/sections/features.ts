// Features: the rows in the plane of the first two components, what the components are worth, and the components as
// functions of two input columns.
import * as Plot from "@observablehq/plot";
import { canvas_cells, canvas_mark } from "../charts/canvas";
import { contour_lines, joined_lines } from "../charts/contour_lines";
import { draw_histogram, histogram_table } from "../charts/histogram";
import { draw_plot, extent, nearest_tip, tip_look, x_axis, y_axis } from "../charts/plot";
import { painted, point_colors } from "../charts/points";
import { css, diverging, tint, type Rgb } from "../charts/ramp";
import { legend_element } from "../chips";
import { element } from "../dom";
import { figure_element, row_of, type Figure } from "../figure";
import { number_text, percent_text } from "../format";
import type { ClassHistogram, FeatureMaps, Features, Points, Report } from "../report";
import { thinned_note, type Section } from "../section";
import { quantile_sorted, sorted_numbers } from "../statistics";
import { class_color, color } from "../theme";

export function features_section(report: Report): Section | null {
  const features = report.features;
  if (!features) return null;
  const { points, histogram, maps } = features;
  const valued = features.components.filter((component) => component.value !== null);
  return {
    id: "features",
    title: "The features",
    group: "What it learnt",
    lead: lead(features) + thinned_note(features.thinned),
    body: () => [
      ...(points ? [figure_element(plane_figure(features, points))] : []),
      ...(histogram ? histogram_parts(histogram, features) : []),
      ...(valued.length > 1 ? [figure_element(worth_figure(features))] : []),
      ...(maps ? map_parts(maps, features) : []),
    ],
  };
}

const share_of = (features: Features, i: number) => features.components[i]?.share ?? null;

function lead(features: Features): string {
  const shares = [share_of(features, 0), share_of(features, 1)];
  const held = features.points && shares[0] !== null && shares[1] !== null
    ? ` The two axes hold ${percent_text((shares[0] as number) + (shares[1] as number))} of the variance in feature space.` : "";
  const colored = features.target ? ` Colours are ${features.target}.` : "";
  if (features.points) return `Every row stands at its first two of ${features.components.length} features; rows that the kernel finds alike lie close together.${held}${colored}`;
  const only = features.components[0];
  const worth = only && only.value !== null && features.value_name ? ` Its ${features.value_name} is ${number_text(only.value, 3)}.` : "";
  return `The values of the only feature over the rows.${worth}${features.classes ? colored : ""}`;
}

function axis_name(features: Features, i: number): string {
  const share = share_of(features, i);
  return `${features.components[i]?.name ?? ""}${share === null ? "" : ` (${percent_text(share)} of the variance)`}`;
}

function plane_figure(features: Features, points: Points): Figure {
  const names = [features.components[0]?.name ?? "x", features.components[1]?.name ?? "y"];
  const named = (i: number) => (points.class ? features.classes?.[points.class[i] ?? -1] ?? "" : points.value ? number_text(points.value[i]) : "");
  return {
    title: `${names[1]} against ${names[0]}`,
    note: features.target ? `coloured by ${features.target}` : "",
    widest: 760,
    numbers: () => ({
      columns: [names[0] as string, names[1] as string, ...(features.target ? [features.target] : [])],
      rows: points.x.map((x, i) => [x, points.y[i], ...(features.target ? [points.class ? named(i) : points.value?.[i]] : [])]),
    }),
    draw: (width) => {
      const colors = point_colors(points, features.classes ?? [], features.target ?? "");
      const chart = draw_plot({
        width, height: Math.round(Math.min(0.72 * width, 540)), marginTop: 26,
        x: x_axis(axis_name(features, 0), { domain: extent(points.x), ticks: Math.max(4, width / 100) }),
        y: y_axis(axis_name(features, 1), { domain: extent(points.y), ticks: 6 }),
        marks: [
          painted(points, colors.at, "large"),
          Plot.frame({ stroke: "var(--rule-strong)" }),
          nearest_tip(points.x, points.y, (i) => [`${names[0]} ${number_text(points.x[i])}`, `${names[1]} ${number_text(points.y[i])}`,
            features.target ? `${features.target} ${named(i)}` : ""].filter(Boolean).join("\n")),
        ],
      }, { name: "Rows in the plane of the first two features", description: `${points.x.length} rows` });
      return colors.legend ? element("div", {}, colors.legend, chart) : chart;
    },
  };
}

function histogram_parts(histogram: ClassHistogram, features: Features): HTMLElement[] {
  const series = histogram.classes.map((name, i) => ({ name, color: class_color(i), counts: histogram.counts[i] ?? [] }));
  const name = features.components[0]?.name ?? "feature";
  return [
    ...(series.length > 1 ? [legend_element(series)] : []),
    figure_element({
      title: `Histogram of ${name}`,
      numbers: () => histogram_table(histogram.edges, series),
      draw: (width) => draw_histogram({ name: `Histogram of ${name}`, x_name: name, edges: histogram.edges, series }, width, Math.min(340, Math.max(240, Math.round(0.42 * width)))),
    }),
  ];
}

function worth_figure(features: Features): Figure {
  const name = features.value_name || "value";
  const rows = features.components.flatMap(({ value, share }, i) => (value === null ? [] : [{ number: i + 1, value, share }]));
  return {
    title: `${name} by component`,
    note: rows[0]?.share === null ? "" : `the ${rows.length} that are drawn hold ${percent_text(rows.reduce((sum, row) => sum + (row.share ?? 0), 0))} of the variance`,
    widest: 760,
    numbers: () => ({ columns: ["component", name, "share of the variance"], rows: features.components.map((component) => [component.name, component.value, component.share]) }),
    draw: (width) => draw_plot({
      width, height: Math.max(180, Math.min(240, Math.round(0.3 * width))), marginTop: 26,
      x: { ...x_axis("component", { domain: rows.map((row) => row.number), grid: false, ticks: Math.max(3, width / 60) }), type: "band", tickFormat: (value: number) => (rows.length <= 20 || value % 5 === 0 ? String(value) : "") },
      y: y_axis(name, { ticks: 4 }),
      marks: [
        Plot.barY(rows, { x: "number", y: "value", fill: "var(--class-0)", fillOpacity: 0.85, tip: tip_look,
          title: (row: (typeof rows)[number]) => `component ${row.number}\n${name} ${number_text(row.value)}${row.share === null ? "" : `\n${percent_text(row.share)} of the variance`}` }),
        Plot.ruleY([0], { stroke: "var(--rule-strong)" }),
      ],
    }, { name: `${name} by component`, description: rows.slice(0, 10).map((row) => `${row.number}: ${number_text(row.value, 3)}`).join(", ") }),
  };
}

// Small pictures of the components over two input columns, with lines of equal value.
function map_parts(maps: FeatureMaps, features: Features): HTMLElement[] {
  return [
    element("h3", {}, `Components over ${maps.axes[0]} and ${maps.axes[1]}`),
    element("p", { class: "note" }, "Lines join equal values of the feature: it changes across them and not along them. Blue is positive, vermilion negative."),
    row_of(...maps.values.map((map) => map_figure(maps, map, features))),
  ];
}

function map_figure(maps: FeatureMaps, map: FeatureMaps["values"][number], features: Features): Figure {
  const { x, y, points, axes } = maps;
  return {
    title: map.name,
    numbers: () => ({ columns: [axes[0], axes[1], map.name], rows: y.flatMap((b, i) => x.map((a, j) => [a, b, map.value[i]?.[j]])) }),
    draw: (width) => {
      const sizes = sorted_numbers(map.value.flat().filter((v): v is number => v !== null).map(Math.abs));
      const most = Math.max(quantile_sorted(sizes, 0.99), 1e-300);
      const ramp = diverging();
      const paper = tint("--zero", 1);
      const soft = (rgb: Rgb): Rgb => [0, 1, 2].map((i) => (paper[i] as number) + 0.6 * ((rgb[i] as number) - (paper[i] as number))) as Rgb;
      const colors = point_colors(points, features.classes ?? [], features.target ?? "");
      return draw_plot({
        width, height: Math.round(0.8 * width), marginTop: 26,
        x: x_axis(axes[0], { domain: extent(x, 0), ticks: 5 }),
        y: y_axis(axes[1], { domain: extent(y, 0), ticks: 5 }),
        marks: [
          canvas_cells(x, y, (row, column) => {
            const value = map.value[row]?.[column];
            return value == null ? null : soft(ramp(0.5 + value / (2 * most)));
          }, "smooth"),
          equal_lines(x, y, map.value, most),
          painted(points, points.class ? colors.at : () => css(tint("--ink", 0.8)), "small"),
          Plot.frame({ stroke: "var(--rule-strong)" }),
        ],
      }, { name: `${map.name} over ${axes[0]} and ${axes[1]}`, description: `values from ${number_text(-most, 3)} to ${number_text(most, 3)}` });
    },
  };
}

function equal_lines(x: number[], y: number[], value: FeatureMaps["values"][number]["value"], most: number): Plot.RenderFunction {
  const levels = Array.from({ length: 9 }, (_, i) => (most * (i - 4)) / 4.5);
  const lines = levels.flatMap((level) => joined_lines(contour_lines(x, y, value, level)));
  return canvas_mark(({ context, x: to_x, y: to_y }) => {
    context.strokeStyle = color("--ink");
    context.globalAlpha = 0.45;
    context.lineWidth = 0.9;
    context.beginPath();
    for (const line of lines) line.forEach(([a, b], i) => (i === 0 ? context.moveTo(to_x(a), to_y(b)) : context.lineTo(to_x(a), to_y(b))));
    context.stroke();
  });
}
