// The two scatters of the residuals section, painted on a canvas: they stay quick at ten thousand points.
import * as Plot from "@observablehq/plot";
import { canvas_mark } from "../charts/canvas";
import { draw_plot, extent, nearest_tip, x_axis, y_axis } from "../charts/plot";
import type { Figure } from "../figure";
import { number_text, percent_text } from "../format";
import type { RegressionOutput } from "../report";
import { quantile_sorted, sorted_numbers } from "../statistics";
import { color } from "../theme";

export interface Rows { truth: number[]; predicted: number[]; residual: number[]; lower?: number[]; upper?: number[] }

// The rows in which nothing is missing.
export function complete_rows(output: RegressionOutput): Rows {
  const kept: number[] = [];
  const ok = (value: number | null | undefined) => value !== null && value !== undefined && Number.isFinite(value);
  const with_interval = Boolean(output.lower && output.upper);
  output.truth.forEach((truth, i) => {
    const interval = !with_interval || (ok(output.lower?.[i]) && ok(output.upper?.[i]));
    if (ok(truth) && ok(output.predicted[i]) && interval) kept.push(i);
  });
  const take = (column: (number | null)[]) => kept.map((i) => column[i] as number);
  const truth = take(output.truth);
  const predicted = take(output.predicted);
  return {
    truth,
    predicted,
    residual: truth.map((value, i) => value - (predicted[i] as number)),
    ...(output.lower && output.upper ? { lower: take(output.lower), upper: take(output.upper) } : {}),
  };
}

export function outside(rows: Rows, i: number): boolean {
  return Boolean(rows.lower && rows.upper && ((rows.truth[i] as number) < (rows.lower[i] as number) || (rows.truth[i] as number) > (rows.upper[i] as number)));
}

function point_look(count: number): { radius: number; opacity: number } {
  return count > 4000 ? { radius: 1.6, opacity: 0.4 } : count > 800 ? { radius: 2, opacity: 0.55 } : { radius: 3, opacity: 0.75 };
}

// Dots at (x, y), those outside their interval in the second colour, with the interval of y where `bars` says so.
function painted_rows(rows: Rows, x_of: number[], y_of: number[], bars: "bars" | "none"): Plot.RenderFunction {
  return canvas_mark(({ context, x, y }) => {
    const { radius, opacity } = point_look(rows.truth.length);
    const inside_color = color("--class-0");
    const outside_color = color("--class-1");
    if (bars === "bars" && rows.lower && rows.upper) {
      context.globalAlpha = rows.truth.length > 800 ? 0.1 : 0.32;
      context.lineWidth = 1;
      context.strokeStyle = inside_color;
      context.beginPath();
      x_of.forEach((value, i) => {
        context.moveTo(x(value), y((rows.lower as number[])[i] as number));
        context.lineTo(x(value), y((rows.upper as number[])[i] as number));
      });
      context.stroke();
    }
    context.globalAlpha = opacity;
    for (const which of [false, true]) {
      context.fillStyle = which ? outside_color : inside_color;
      x_of.forEach((value, i) => {
        if (outside(rows, i) !== which) return;
        context.beginPath();
        context.arc(x(value), y(y_of[i] as number), radius, 0, 2 * Math.PI);
        context.fill();
      });
    }
  });
}

function row_text(rows: Rows, i: number): string {
  const lines = [`true ${number_text(rows.truth[i])}`, `predicted ${number_text(rows.predicted[i])}`, `residual ${number_text(rows.residual[i])}`];
  if (rows.lower && rows.upper) lines.push(`interval ${number_text(rows.lower[i])} to ${number_text(rows.upper[i])}`);
  return lines.join("\n");
}

export function agreement_figure(rows: Rows, output: RegressionOutput): Figure {
  const interval = rows.lower ? `bars are ${output.level ? percent_text(output.level, 0) : ""} intervals, orange where the truth is outside` : "";
  return {
    title: "Predicted against true",
    note: interval,
    widest: 520,
    numbers: () => ({
      columns: ["true", "predicted", "residual", ...(rows.lower ? ["lower", "upper"] : [])],
      rows: rows.truth.map((value, i) => [value, rows.predicted[i], rows.residual[i], ...(rows.lower ? [rows.lower[i], rows.upper?.[i]] : [])]),
    }),
    draw: (width) => {
      const domain = extent([...rows.truth, ...rows.predicted]);
      const y_domain = extent([...domain, ...(rows.lower ?? []), ...(rows.upper ?? [])], 0);
      return draw_plot({
        width, height: Math.round(0.85 * width), marginTop: 26,
        x: x_axis(`true ${output.name}`, { domain, ticks: 5 }),
        y: y_axis(`predicted ${output.name}`, { domain: y_domain, ticks: 6 }),
        marks: [
          painted_rows(rows, rows.truth, rows.predicted, "bars"),
          Plot.link([0], { x1: [domain[0]], y1: [domain[0]], x2: [domain[1]], y2: [domain[1]], stroke: "var(--ink)", strokeDasharray: "3 4" }),
          nearest_tip(rows.truth, rows.predicted, (i) => row_text(rows, i)),
        ],
      }, { name: "Predicted against true", description: `${rows.truth.length} points; the dashed diagonal is a perfect prediction` });
    },
  };
}

interface Trend { x: number; low: number; middle: number; high: number }

// Quantiles of the residual within bins that hold equally many rows.
export function trend_of(rows: Rows): Trend[] {
  const order = rows.predicted.map((_, i) => i).sort((a, b) => (rows.predicted[a] as number) - (rows.predicted[b] as number));
  const bins = Math.min(20, Math.floor(order.length / 30));
  return Array.from({ length: bins }, (_, bin) => {
    const members = order.slice(Math.floor((bin * order.length) / bins), Math.floor(((bin + 1) * order.length) / bins));
    const residuals = sorted_numbers(members.map((i) => rows.residual[i] as number));
    const places = sorted_numbers(members.map((i) => rows.predicted[i] as number));
    return { x: quantile_sorted(places, 0.5), low: quantile_sorted(residuals, 0.1), middle: quantile_sorted(residuals, 0.5), high: quantile_sorted(residuals, 0.9) };
  });
}

export function residual_figure(rows: Rows, output: RegressionOutput): Figure {
  const trend = trend_of(rows);
  return {
    title: "Residual over prediction",
    note: trend.length > 4 ? "the line is the running median, the band holds the middle 80 %" : "true minus predicted",
    widest: 520,
    numbers: () => ({ columns: ["predicted", "residual"], rows: rows.predicted.map((value, i) => [value, rows.residual[i]]) }),
    draw: (width) => draw_plot({
      width, height: Math.round(0.85 * width), marginTop: 26,
      x: x_axis(`predicted ${output.name}`, { domain: extent(rows.predicted), ticks: 5 }),
      y: y_axis("true minus predicted", { domain: extent([...rows.residual, 0]), ticks: 6 }),
      marks: [
        painted_rows(rows, rows.predicted, rows.residual, "none"),
        ...(trend.length > 4 ? [
          Plot.areaY(trend, { x: "x", y1: "low", y2: "high", fill: "var(--ink)", fillOpacity: 0.1 }),
          Plot.line(trend, { x: "x", y: "middle", stroke: "var(--ink)", strokeWidth: 1.8 }),
        ] : []),
        Plot.ruleY([0], { stroke: "var(--ink)", strokeDasharray: "3 4" }),
        nearest_tip(rows.predicted, rows.residual, (i) => row_text(rows, i)),
      ],
    }, { name: "Residual over prediction", description: `${rows.truth.length} points about the line at zero` }),
  };
}
