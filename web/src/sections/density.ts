// Densities along the columns: the curve of the model with the rows as a histogram and a rug below it, and, where it is
// known, the distribution function beside that of the rows.
import * as Plot from "@observablehq/plot";
import { canvas_mark } from "../charts/canvas";
import { draw_plot, extent, tip_look, x_axis, y_axis } from "../charts/plot";
import { legend_element } from "../chips";
import { figure_element, row_of, type Figure } from "../figure";
import { number_text } from "../format";
import type { DensityCurve, Report } from "../report";
import { thinned_note, type Section } from "../section";
import { sorted_numbers } from "../statistics";
import { color } from "../theme";

export function density_section(report: Report): Section | null {
  const density = report.density;
  if (!density || density.curves.length === 0) return density?.how ? { ...frame(density.how), body: () => [] } : null;
  const first = density.curves[0] as DensityCurve;
  const several = density.curves.length > 1;
  return {
    ...frame(`The line is the density of the model${several ? ", column by column" : ""}: the area below it between two values is the probability of a value ` +
      `between them. Bars are the rows in the same units, strokes below them ${density.thinned ? "some of the rows" : "the rows themselves"}. ${density.how}${thinned_note(density.thinned)}`.replace(/\s+/g, " ").trim()),
    body: () => {
      const legend = legend_element([
        { name: "density of the model", color: "var(--class-0)" },
        { name: "rows", color: "var(--rule-strong)" },
      ]);
      if (several) return [legend, row_of(...density.curves.map((curve) => curve_figure(curve, "small")))];
      return [legend, figure_element(curve_figure(first, "wide")), ...(first.cumulative ? [figure_element(cumulative_figure(first))] : [])];
    },
  };
}

function frame(lead: string): Omit<Section, "body"> {
  return { id: "density", title: "The density", group: "What it learnt", lead };
}

function curve_figure(curve: DensityCurve, size: "small" | "wide"): Figure {
  const { x, density, edges, heights } = curve;
  const bars = heights.map((height, i) => ({ from: edges[i] as number, to: edges[i + 1] as number, height }));
  return {
    title: size === "wide" ? `Density of ${curve.column}` : curve.column,
    numbers: () => ({ columns: [curve.column, "density"], rows: x.map((value, i) => [value, density[i]]) }),
    draw: (width) => draw_plot({
      width, height: size === "wide" ? Math.max(260, Math.min(420, Math.round(0.48 * width))) : Math.round(0.62 * width), marginTop: 26,
      x: x_axis(curve.column, { domain: extent([...x, ...edges], 0.01), ticks: Math.max(4, width / 90), grid: false }),
      y: y_axis("density", { domain: [0, 1.06 * top_of(curve)], ticks: 5 }),
      marks: [
        Plot.rect(bars, { x1: "from", x2: "to", y1: 0, y2: "height", fill: "var(--rule-strong)", fillOpacity: 0.55, insetLeft: 0.5, insetRight: 0.5 }),
        Plot.areaY({ length: x.length }, { x, y1: 0, y2: density, fill: "var(--class-0)", fillOpacity: 0.14, clip: true }),
        Plot.line({ length: x.length }, { x, y: density, stroke: "var(--class-0)", strokeWidth: 2.4, strokeLinejoin: "round", clip: true }),
        rug_mark(curve.rug),
        Plot.ruleY([0], { stroke: "var(--rule-strong)" }),
        ...pointer_text(curve.x, curve.density, curve.column, "density"),
      ],
    }, { name: `Density of ${curve.column}`, description: `density over ${curve.column} with a histogram of the rows` }),
  };
}

// The largest finite height; a density that is infinite at a node leaves the chart instead of flattening it.
function top_of({ density, heights }: DensityCurve): number {
  const finite = sorted_numbers(density.filter((value): value is number => value !== null));
  const most = finite[finite.length - 1] ?? 0;
  const bars = Math.max(0, ...heights);
  return Math.max(bars, most > 8 * bars && bars > 0 ? 3 * bars : most) || 1;
}

// One stroke per row upon the axis.
function rug_mark(rug: number[]): Plot.RenderFunction {
  return canvas_mark(({ context, frame: { top, height }, x }) => {
    context.strokeStyle = color("--ink");
    context.globalAlpha = rug.length > 500 ? 0.15 : 0.35;
    context.lineWidth = 1;
    context.beginPath();
    for (const value of rug) {
      context.moveTo(x(value), top + height - 9);
      context.lineTo(x(value), top + height);
    }
    context.stroke();
  });
}

function pointer_text(x: number[], y: (number | null)[], column: string, what: string): Plot.Markish[] {
  return [
    Plot.ruleX({ length: x.length }, Plot.pointerX({ x, stroke: "var(--rule-strong)" })),
    Plot.text({ length: x.length }, Plot.pointerX({ px: x, frameAnchor: "top-right", dy: -16, fill: "var(--ink)",
      text: (_: unknown, i: number) => `${column} ${number_text(x[i], 3)}: ${what} ${number_text(y[i], 3)}`, ...({ textAnchor: "end" } as const), stroke: tip_look.fill, strokeWidth: 3 })),
  ];
}

function cumulative_figure(curve: DensityCurve): Figure {
  const x = curve.x;
  const cumulative = curve.cumulative ?? [];
  const rows = sorted_numbers(curve.rug);
  return {
    title: `Probability of a smaller ${curve.column}`,
    note: "the steps are the share of the rows",
    numbers: () => ({ columns: [curve.column, "probability"], rows: x.map((value, i) => [value, cumulative[i]]) }),
    draw: (width) => draw_plot({
      width, height: Math.max(220, Math.min(340, Math.round(0.38 * width))), marginTop: 26,
      x: x_axis(curve.column, { domain: extent(x, 0.01), ticks: Math.max(4, width / 90) }),
      y: y_axis("probability", { domain: [0, 1], ticks: 5 }),
      marks: [
        canvas_mark(({ context, x: to_x, y: to_y }) => {
          context.strokeStyle = color("--ink");
          context.globalAlpha = 0.55;
          context.lineWidth = 1.2;
          context.beginPath();
          context.moveTo(to_x(x[0] ?? 0), to_y(0));
          rows.forEach((value, i) => {
            context.lineTo(to_x(value), to_y(i / rows.length));
            context.lineTo(to_x(value), to_y((i + 1) / rows.length));
          });
          context.lineTo(to_x(x[x.length - 1] ?? 1), to_y(1));
          context.stroke();
        }),
        Plot.line({ length: x.length }, { x, y: cumulative, stroke: "var(--class-0)", strokeWidth: 2.2 }),
        ...pointer_text(x, cumulative, curve.column, "probability"),
      ],
    }, { name: `Distribution function of ${curve.column}`, description: `probability of a value up to ${curve.column}, beside the share of the rows` }),
  };
}
