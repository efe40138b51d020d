// Points coloured by their class or by a number, for scatters and for pictures that rows are drawn upon.
import type { Points } from "../report";
import { sorted_numbers, quantile_sorted } from "../statistics";
import { class_variable, color } from "../theme";
import { canvas_points, ramp_legend } from "./canvas";
import { legend_element, type Chip } from "../chips";
import { count_text, number_text } from "../format";
import { css, sequential, type Ramp } from "./ramp";
import { class_color } from "../theme";
import type * as Plot from "@observablehq/plot";

export interface PointColors { at: (index: number) => string; legend: HTMLElement | null }

// classes are the names of points.class; name is what points.value is.
export function point_colors(points: Points, classes: string[], name: string): PointColors {
  const ink = color("--ink");
  if (points.class) {
    const codes = points.class;
    const known = classes.map((_, i) => color(class_variable(i)));
    const chips: Chip[] = classes.map((label, i) => ({ name: label, color: class_color(i), note: count_text(codes.filter((code) => code === i).length) }));
    return { at: (i) => known[codes[i] ?? -1] ?? ink, legend: legend_element(chips) };
  }
  if (points.value) {
    const values = points.value;
    const sorted = sorted_numbers(values.filter((value): value is number => value !== null));
    const [low, high] = [quantile_sorted(sorted, 0.01), quantile_sorted(sorted, 0.99)];
    const ramp = visible(sequential());
    return {
      at: (i) => (values[i] == null ? ink : css(ramp(((values[i] as number) - low) / (high - low || 1)))),
      legend: ramp_legend(ramp, number_text(low, 3), number_text(high, 3), name),
    };
  }
  return { at: () => color("--class-0"), legend: null };
}

// Without the part of the ramp that is nearly the paper.
function visible(ramp: Ramp): Ramp {
  return (share) => ramp(0.22 + 0.78 * Math.min(1, Math.max(0, share)));
}

export function painted(points: Points, at: (index: number) => string, size: "small" | "large"): Plot.RenderFunction {
  const many = points.x.length > 800;
  const radius = (points.x.length > 4000 ? 1.6 : many ? 2.1 : 3) * (size === "small" ? 0.7 : 1);
  return canvas_points(points.x.length, (i) => ({ x: points.x[i] as number, y: points.y[i] as number, color: at(i) }), radius, many ? 0.6 : 0.8);
}
