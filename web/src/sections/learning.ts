// The learning curve.
import * as Plot from "@observablehq/plot";
import { draw_plot, extent, tip_look, x_axis, y_axis } from "../charts/plot";
import { figure_element } from "../figure";
import { count_text, number_text } from "../format";
import type { Learning, Report } from "../report";
import type { Section } from "../section";

export function learning_section(report: Report): Section | null {
  const learning = report.learning;
  if (!learning || learning.rows.length === 0) return null;
  return {
    id: "learning",
    title: "Learning curve",
    group: "How it was chosen",
    lead: `The ${learning.metric} with growing numbers of training rows. A validation line that still moves at its end asks for more rows; a wide gap between the lines asks for a simpler model or more rows.`,
    body: () => [figure_element({
      title: `${learning.metric} over training rows`,
      widest: 760,
      numbers: () => ({
        columns: ["rows", "training", "validation", ...(learning.validation_error ? ["standard error"] : [])],
        rows: learning.rows.map((rows, i) => [rows, learning.train[i], learning.validation[i], ...(learning.validation_error ? [learning.validation_error[i]] : [])]),
      }),
      draw: (width) => draw(learning, width),
    })],
  };
}

function draw(learning: Learning, width: number): Element {
  const points = learning.rows.flatMap((rows, i) => [
    { rows, series: "training", value: learning.train[i] ?? null, error: 0 },
    { rows, series: "validation", value: learning.validation[i] ?? null, error: learning.validation_error?.[i] ?? 0 },
  ]).filter((point): point is { rows: number; series: string; value: number; error: number } => point.value !== null);
  const validation = points.filter((point) => point.series === "validation");
  const tone = (series: string) => (series === "training" ? "var(--class-1)" : "var(--class-0)");
  const log = Math.max(...learning.rows) > 12 * Math.min(...learning.rows);
  const last = points.filter((point) => point.rows === learning.rows[learning.rows.length - 1]);
  const height = Math.max(250, Math.round(0.45 * width));
  const top = Math.max(...last.map((point) => point.value));
  const [low, high] = extent(points.map((point) => point.value));
  const close = last.length === 2 && (Math.abs((last[0]?.value ?? 0) - (last[1]?.value ?? 0)) / (high - low)) * height < 20;
  return draw_plot({
    width, height, marginTop: 26, marginRight: 82,
    x: x_axis("training rows", { type: log ? "log" : "linear", ticks: spread_ticks(learning.rows, width), tickFormat: (rows: number) => count_text(rows) }),
    y: y_axis(learning.metric, { domain: extent(points.flatMap((point) => [point.value - point.error, point.value + point.error])), ticks: 5 }),
    marks: [
      Plot.areaY(validation, { x: "rows", y1: (point) => point.value - point.error, y2: (point) => point.value + point.error, fill: "var(--class-0)", fillOpacity: 0.16 }),
      Plot.line(points, { x: "rows", y: "value", z: "series", stroke: (point: (typeof points)[number]) => tone(point.series), strokeWidth: 2 }),
      Plot.dot(points, { x: "rows", y: "value", r: 3.5, fill: (point: (typeof points)[number]) => tone(point.series), tip: tip_look,
        title: (point: (typeof points)[number]) => `${point.series}\n${count_text(point.rows)} rows\n${number_text(point.value)}${point.error > 0 ? ` \u00b1 ${number_text(point.error, 2)}` : ""}` }),
      ...last.map((point) => Plot.text([point], { x: "rows", y: "value", text: "series", dx: 9, dy: close ? (point.value === top ? -8 : 8) : 0, textAnchor: "start", fill: tone(point.series), fontWeight: 600 })),
    ],
  }, { name: "Learning curve", description: `${learning.metric} on training and validation rows for ${learning.rows.length} sizes` });
}

// The sizes themselves, as many as have room, the last one always.
function spread_ticks(rows: number[], width: number): number[] {
  const step = Math.max(1, Math.ceil((rows.length * 64) / width));
  return rows.filter((_, i) => (rows.length - 1 - i) % step === 0);
}
