// The distribution of residuals: histogram with the normal density of the same mean and spread, and quantiles.
import * as Plot from "@observablehq/plot";
import { canvas_points } from "../charts/canvas";
import { draw_histogram, histogram_table } from "../charts/histogram";
import { draw_plot, extent, nearest_tip, x_axis, y_axis } from "../charts/plot";
import type { Figure } from "../figure";
import { number_text } from "../format";
import { bin_counts, bin_edges, mean_and_deviation, normal_quantile, sorted_numbers } from "../statistics";
import { color } from "../theme";
import type { Rows } from "./residual_scatters";

export function distribution_figure(rows: Rows): Figure {
  const sorted = sorted_numbers(rows.residual);
  const edges = bin_edges(sorted);
  const series = [{ name: "rows", color: "var(--class-0)", counts: bin_counts(sorted, edges) }];
  const { mean, deviation } = mean_and_deviation(rows.residual);
  return {
    title: "Histogram of residuals",
    note: `mean ${number_text(mean, 3)}, standard deviation ${number_text(deviation, 3)}; the line is the normal density`,
    widest: 520,
    numbers: () => histogram_table(edges, series),
    draw: (width) => draw_histogram({
      name: "Histogram of residuals", x_name: "true minus predicted", edges, series,
      marks: deviation > 0 ? [Plot.line(density(edges, mean, deviation, sorted.length), { x: "x", y: "y", stroke: "var(--ink)", strokeWidth: 1.6 })] : [],
    }, width, Math.round(0.72 * width)),
  };
}

function density(edges: number[], mean: number, deviation: number, count: number): { x: number; y: number }[] {
  const low = edges[0] as number;
  const high = edges[edges.length - 1] as number;
  const scale = (count * ((edges[1] as number) - low)) / (deviation * Math.sqrt(2 * Math.PI));
  return Array.from({ length: 101 }, (_, i) => {
    const x = low + ((high - low) * i) / 100;
    return { x, y: scale * Math.exp(-0.5 * ((x - mean) / deviation) ** 2) };
  });
}

export function quantile_figure(rows: Rows): Figure {
  const sorted = sorted_numbers(rows.residual);
  const normal = sorted.map((_, i) => normal_quantile((i + 0.5) / sorted.length));
  const { mean, deviation } = mean_and_deviation(rows.residual);
  return {
    title: "Quantiles of residuals",
    note: "on the line: normal; ends that bend away: heavy or light tails",
    widest: 520,
    numbers: () => ({ columns: ["normal quantile", "residual"], rows: sorted.map((value, i) => [normal[i], value]) }),
    draw: (width) => {
      const [low, high] = extent(normal);
      const paint = color("--class-0");
      return draw_plot({
        width, height: Math.round(0.72 * width), marginTop: 26,
        x: x_axis("quantile of the standard normal", { domain: [low, high], ticks: 6 }),
        y: y_axis("residual", { domain: extent([...sorted, mean + low * deviation, mean + high * deviation], 0.02), ticks: 5 }),
        marks: [
          Plot.link([0], { x1: [low], y1: [mean + low * deviation], x2: [high], y2: [mean + high * deviation], stroke: "var(--ink)", strokeDasharray: "3 4" }),
          canvas_points(sorted.length, (i) => ({ x: normal[i] as number, y: sorted[i] as number, color: paint }), sorted.length > 800 ? 1.8 : 2.6, 0.8),
          nearest_tip(normal, sorted, (i) => `residual ${number_text(sorted[i])}\nnormal quantile ${number_text(normal[i], 3)}`),
        ],
      }, { name: "Quantiles of residuals against the normal distribution", description: `${sorted.length} points` });
    },
  };
}
