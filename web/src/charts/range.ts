// A line with a value, its interval and the baseline upon it, small enough for a tile or a row of a table.
import { svg } from "../dom";
import type { Metric } from "../report";

// From 0 to 1 for shares, from 0 for other numbers that are not negative, else as far as the numbers go and to 0.
export function range_domain(metric: Metric): [number, number] {
  const numbers = [metric.value, metric.lower, metric.upper, metric.baseline].filter((n): n is number => n !== null);
  const low = Math.min(...numbers);
  const high = Math.max(...numbers);
  if (low >= 0 && high <= 1 && metric.better !== "lower") return [0, 1];
  if (low >= 0) return [0, high * 1.08 || 1];
  // Logarithms of densities: there is nothing about 0 that they aim at.
  if (high < 0 && metric.better === "higher") return [low - 0.3 * (high - low || 1), high + 0.3 * (high - low || 1)];
  const room = (high - low || 1) * 0.08;
  return [low - room, Math.max(0, high) + room];
}

const width = 200;
const height = 22;

export function range_element(metric: Metric, [low, high]: [number, number]): SVGSVGElement {
  const x = (value: number) => 5 + ((value - low) / (high - low)) * (width - 10);
  const middle = height / 2;
  const { value, lower, upper, baseline } = metric;
  return svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, class: "range", "aria-hidden": "true", preserveAspectRatio: "none" },
    svg("line", { x1: 5, x2: width - 5, y1: middle, y2: middle, class: "track" }),
    baseline !== null ? svg("line", { x1: x(baseline), x2: x(baseline), y1: 3, y2: height - 3, class: "baseline" }) : null,
    lower !== null && upper !== null
      ? svg("line", { x1: x(lower), x2: Math.max(x(upper), x(lower) + 1), y1: middle, y2: middle, class: "interval" }) : null,
    value !== null ? svg("line", { x1: x(value), x2: x(value), y1: 4, y2: height - 4, class: "value" }) : null,
  );
}
