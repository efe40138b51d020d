// Metrics as text, with as many decimals as their interval can carry.
import { decimals_for, fixed_text, number_text } from "./format";
import type { Metric } from "./report";

function decimals(metric: Metric): number | null {
  if (metric.lower === null || metric.upper === null) return null;
  return decimals_for((metric.upper - metric.lower) / 2);
}

export function metric_value(metric: Metric): string {
  const places = decimals(metric);
  const size = Math.max(Math.abs(metric.value ?? 0), Math.abs(metric.upper ?? 0));
  return places === null || size >= 1e6 ? number_text(metric.value) : fixed_text(metric.value, places);
}

// Empty where there is no interval.
export function metric_interval(metric: Metric): string {
  if (metric.lower === null || metric.upper === null) return "";
  const bound = (value: number) => metric_value({ ...metric, value });
  return `${bound(metric.lower)} to ${bound(metric.upper)}`;
}

// How the value stands to the trivial baseline.
export function beside_baseline(metric: Metric): "better" | "worse" | "alike" | null {
  const { value, baseline, lower, upper } = metric;
  if (value === null || baseline === null || metric.better === "closer") return null;
  if (lower !== null && upper !== null && lower <= baseline && baseline <= upper) return "alike";
  return value > baseline === (metric.better === "higher") ? "better" : "worse";
}
