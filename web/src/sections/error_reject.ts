// What errors are left when the least sure answers are declined.
import * as Plot from "@observablehq/plot";
import { draw_plot, tip_look, x_axis, y_axis } from "../charts/plot";
import { row_of } from "../figure";
import { percent_text } from "../format";
import type { ErrorReject, Report } from "../report";
import type { Section } from "../section";

interface Point { rejected: number; error: number; confidence: number | null }

export function error_reject_section(report: Report): Section | null {
  const curve = report.classification?.error_reject;
  if (!curve || curve.rejected.length < 2) return null;
  const points = points_of(curve);
  const top = Math.max(...points.map((point) => point.error));
  return {
    id: "error-reject",
    title: "Errors and declined answers",
    group: "How well",
    lead: lead(points),
    body: () => [row_of({
      title: "Error of the answers that are kept",
      note: "least sure answers declined first, equally sure ones together",
      widest: 620,
      numbers: () => ({
        columns: ["declined", "error of the rest", "confidence from"],
        rows: points.map((point) => [point.rejected, point.error, point.confidence]),
      }),
      draw: (width) => draw_plot({
        width, height: Math.round(0.6 * width), marginTop: 26, marginLeft: 54,
        x: x_axis("share of rows declined", { domain: [0, 1], ticks: 5, tickFormat: (share: number) => percent_text(share, 0) }),
        y: y_axis("error of the rest", { domain: [0, top > 0 ? 1.08 * top : 1], ticks: 5, tickFormat: (error: number) => percent_text(error, top < 0.05 ? 1 : 0) }),
        marks: [
          Plot.areaY(points, { x: "rejected", y: "error", fill: "var(--class-0)", fillOpacity: 0.12 }),
          Plot.line(points, { x: "rejected", y: "error", stroke: "var(--class-0)", strokeWidth: 2 }),
          Plot.dot(points, Plot.pointerX({ x: "rejected", y: "error", r: 4, fill: "var(--class-0)" })),
          Plot.tip(points, Plot.pointerX({ x: "rejected", y: "error", ...tip_look, title: words })),
          Plot.ruleY([0], { stroke: "var(--rule-strong)" }),
        ],
      }, { name: "Error-reject curve", description: "error of the answers that are kept over the share that is declined" }),
    })],
  };
}

function points_of(curve: ErrorReject): Point[] {
  return curve.rejected.flatMap((rejected, i) => {
    const error = curve.error[i];
    return rejected === null || error === null || error === undefined ? [] : [{ rejected, error, confidence: curve.confidence[i] ?? null }];
  });
}

function words(point: Point): string {
  const sure = point.confidence === null ? "" : `\nconfidence from ${point.confidence.toPrecision(4)}`;
  return `${percent_text(point.rejected)} declined\nerror ${percent_text(point.error)} of the rest${sure}`;
}

// The least share declined for which the error of the rest is at most the target.
export function punt_error(points: Pick<Point, "rejected" | "error">[], target: number): number | null {
  return points.find((point) => point.error <= target)?.rejected ?? null;
}

function lead(points: Point[]): string {
  const all = points[0]?.error ?? 0;
  if (all === 0) return "Every answer is right, so that there is none to decline.";
  const shares = [0.5, 0.1].map((part) => ({ target: part * all, share: punt_error(points, part * all) }));
  const told = shares.map(({ target, share }) => share === null
    ? `no share of declined answers brings the error to ${percent_text(target)}`
    : `an error of ${percent_text(target)} is reached when ${percent_text(share)} of the rows are declined`);
  return `With an answer to every row the error is ${percent_text(all)}; ${told.join("; ")}. ` +
    "A curve that falls steeply at its left end says that the model knows where it may be wrong.";
}
