// One input column: the fitted function with its band, its tube or the fitted quantiles, and the data.
import * as Plot from "@observablehq/plot";
import { canvas_points } from "../charts/canvas";
import { draw_plot, extent, nearest_tip, tip_look, x_axis, y_axis } from "../charts/plot";
import { figure_element } from "../figure";
import { number_text, percent_text } from "../format";
import type { Report } from "../report";
import { thinned_note, type Section } from "../section";
import { color } from "../theme";

export function curve_section(report: Report): Section | null {
  const curve = report.regression?.curve;
  if (!curve || curve.x.length === 0) return null;
  const output = report.regression?.outputs[0];
  const name = output?.name ?? "prediction";
  const level = output?.level ? `${percent_text(output.level, 0)} of new observations` : "new observations";
  const { x, mean, lower, upper, mean_lower, mean_upper, tube_lower, tube_upper, data_x, data_y } = curve;
  const levels = curve.levels ?? [];
  const quantiles = curve.quantiles ?? [];
  const bands = quantiles.slice(0, Math.floor(quantiles.length / 2)).map((low, k) => ({ low, high: quantiles[quantiles.length - 1 - k] as number[] }));
  return {
    id: "curve",
    title: "The fitted function",
    group: "What it learnt",
    lead: `The line is the prediction of ${name} from ${curve.column}, the dots are the data` +
      `${lower && upper ? `; the ${mean_lower ? "wide " : ""}band should hold ${level}, and where it widens the model knows less` : ""}` +
      `${mean_lower && mean_upper ? `; the inner band is where the function itself lies${output?.level ? ` with ${percent_text(output.level, 0)} confidence` : ""}` : ""}` +
      `${quantiles.length > 1 ? `; thin lines are the quantiles ${levels.map((level) => number_text(level)).join(", ")}, and bands lie between those that are as far from the middle one` : ""}` +
      `${tube_lower && tube_upper ? "; the band is the tube, within which errors cost nothing" : ""}.${thinned_note(report.regression?.thinned)}`,
    body: () => [figure_element({
      title: `${name} over ${curve.column}`,
      numbers: () => ({
        columns: [curve.column, "mean", ...(lower && upper ? ["lower", "upper"] : []), ...(mean_lower && mean_upper ? ["function lower", "function upper"] : []), ...(tube_lower && tube_upper ? ["tube lower", "tube upper"] : []), ...levels.map((level) => `quantile ${number_text(level)}`)],
        rows: x.map((value, i) => [value, mean[i], ...(lower && upper ? [lower[i], upper[i]] : []), ...(mean_lower && mean_upper ? [mean_lower[i], mean_upper[i]] : []), ...(tube_lower && tube_upper ? [tube_lower[i], tube_upper[i]] : []), ...quantiles.map((quantile) => quantile[i])]),
      }),
      draw: (width) => {
        const dot = color("--ink");
        const x_domain = extent([...x, ...data_x], 0.01);
        return draw_plot({
          width, height: Math.max(260, Math.min(460, Math.round(0.52 * width))), marginTop: 26,
          x: x_axis(curve.column, { domain: x_domain, ticks: Math.max(4, width / 90) }),
          y: y_axis(name, { domain: extent([...mean, ...data_y, ...(lower ?? []), ...(upper ?? []), ...(tube_lower ?? []), ...(tube_upper ?? []), ...quantiles.flat()]), ticks: 6 }),
          marks: [
            lower && upper ? Plot.areaY({ length: x.length }, { x, y1: lower, y2: upper, fill: "var(--class-0)", fillOpacity: 0.18 }) : null,
            mean_lower && mean_upper ? Plot.areaY({ length: x.length }, { x, y1: mean_lower, y2: mean_upper, fill: "var(--class-0)", fillOpacity: 0.3 }) : null,
            ...(tube_lower && tube_upper ? [
              Plot.areaY({ length: x.length }, { x, y1: tube_lower, y2: tube_upper, fill: "var(--class-0)", fillOpacity: 0.16 }),
              ...[tube_lower, tube_upper].map((edge) => Plot.line({ length: x.length }, { x, y: edge, stroke: "var(--class-0)", strokeWidth: 1, strokeDasharray: "4 3" })),
            ] : []),
            ...bands.map(({ low, high }) => Plot.areaY({ length: x.length }, { x, y1: low, y2: high, fill: "var(--class-0)", fillOpacity: 0.16 })),
            canvas_points(data_x.length, (i) => ({ x: data_x[i] as number, y: data_y[i] as number, color: dot }), data_x.length > 800 ? 1.8 : 2.8, data_x.length > 800 ? 0.4 : 0.65),
            ...quantiles.map((quantile) => Plot.line({ length: x.length }, { x, y: quantile, stroke: "var(--class-0)", strokeWidth: 1 })),
            Plot.line({ length: x.length }, { x, y: mean, stroke: "var(--class-0)", strokeWidth: 2.4, strokeLinejoin: "round" }),
            nearest_tip(data_x, data_y, (i) => `${curve.column} ${number_text(data_x[i])}\n${name} ${number_text(data_y[i])}`),
            Plot.ruleX({ length: x.length }, Plot.pointerX({ x, stroke: "var(--rule-strong)" })),
            Plot.text({ length: x.length }, Plot.pointerX({ px: x, frameAnchor: "top-right", dy: -16, fill: "var(--ink)",
              text: (_: unknown, i: number) => `${curve.column} ${number_text(x[i], 3)}: ${number_text(mean[i], 3)}${lower && upper ? ` (${number_text(lower[i], 3)} to ${number_text(upper[i], 3)})` : ""}`, ...({ textAnchor: "end" } as const), stroke: tip_look.fill, strokeWidth: 3 })),
          ],
        }, { name: `Fitted function of ${curve.column}`, description: `prediction over ${curve.column} with ${data_x.length} data points` });
      },
    })],
  };
}
