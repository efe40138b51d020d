// Observable Plot with the page's type, margins and accessible names.
import * as Plot from "@observablehq/plot";

export interface Description { name: string; description: string }

export function draw_plot(options: Plot.PlotOptions, about: Description): Element {
  return Plot.plot({
    marginTop: 24,
    marginRight: 20,
    marginBottom: 42,
    marginLeft: 54,
    ...options,
    className: "plot",
    ariaLabel: about.name,
    ariaDescription: about.description,
    style: { fontSize: "12px", overflow: "visible" },
  });
}

// Axis options that every chart shares: ticks without strokes, lines at the ticks, labels in words, the label centred
// below x.
export function x_axis(label: string, more: Plot.ScaleOptions = {}): Plot.ScaleOptions {
  return { label, labelAnchor: "center", labelArrow: "none", tickSize: 0, tickPadding: 9, nice: false, grid: true, ...more };
}

export function y_axis(label: string, more: Plot.ScaleOptions = {}): Plot.ScaleOptions {
  return { label, labelAnchor: "top", labelArrow: "none", tickSize: 0, tickPadding: 6, nice: false, grid: true, ...more };
}

export const tip_look = { fill: "var(--raised)", stroke: "var(--rule-strong)", lineHeight: 1.35, textPadding: 9 } as const;

// A tooltip at the point nearest to the pointer.
export function nearest_tip(x: number[], y: number[], text: (index: number) => string): Plot.Markish {
  return Plot.tip(
    { length: x.length },
    Plot.pointer({ x, y, title: (_: unknown, index: number) => text(index), maxRadius: 30, ...tip_look }),
  );
}

// How much room names need to the left of a chart of this width, in pixels.
export function name_margin(names: string[], width: number): number {
  const longest = Math.max(4, ...names.map((name) => name.length));
  return Math.min(Math.round(0.38 * width), 14 + Math.round(6.9 * longest));
}

export function shortened(name: string, width: number): string {
  const most = Math.max(6, Math.floor((0.38 * width - 14) / 6.9));
  return name.length > most ? `${name.slice(0, most - 1)}…` : name;
}

// The range of the finite ones among the numbers, a little wider at both ends; [0, 1] where there is none.
export function extent(values: Iterable<number | null | undefined>, widen = 0.04): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value === null || value === undefined || !Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low > high) return [0, 1];
  const room = (high - low || Math.abs(high) || 1) * widen;
  return [low - room, high + room];
}
