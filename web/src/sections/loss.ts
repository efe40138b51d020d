// The loss of the fit: its curve, its influence function, the density of noise that it stands for.
import * as Plot from "@observablehq/plot";
import { draw_plot, extent, tip_look, x_axis, y_axis } from "../charts/plot";
import { figure_element } from "../figure";
import { number_text } from "../format";
import type { Loss, Report } from "../report";
import type { Section } from "../section";

export function loss_section(report: Report): Section | null {
  const loss = report.loss;
  if (!loss || loss.x.length === 0) return null;
  const argument = loss.of === "residual" ? `residual of ${loss.output || "the target"}` : "margin";
  const density = loss.density ? " The density is that of noise under which the loss is minus the logarithm of the likelihood." : "";
  const words = loss.name.replaceAll("_", " ");
  return {
    id: "loss",
    title: "The loss",
    group: "What it learnt",
    lead: `${words[0]?.toUpperCase() ?? ""}${words.slice(1)}: what ${loss.of === "residual" ? "a residual, prediction less truth," : "a margin, the truth's sign times the value,"} costs, ${loss.formula}. Influence is its slope, how hard a row pulls at the function: where it is bounded, a wild row pulls no harder than others.${density}`,
    body: () => [
      curve_figure("Loss", argument, loss, loss.loss, loss.formula),
      curve_figure("Influence", argument, loss, loss.influence, loss.influence_formula),
      ...(loss.density ? [curve_figure("Density of the noise", argument, loss, loss.density, loss.density_formula)] : []),
    ],
  };
}

function curve_figure(title: string, argument: string, loss: Loss, values: (number | null)[], formula: string): HTMLElement {
  const { x } = loss;
  return figure_element({
    title,
    note: formula,
    widest: 760,
    numbers: () => ({ columns: [argument, title.toLowerCase()], rows: x.map((value, i) => [value, values[i] ?? null]) }),
    draw: (width) => draw_plot({
      width, height: Math.max(200, Math.round(0.3 * width)), marginTop: 26,
      x: x_axis(argument, { domain: extent(x, 0), ticks: Math.max(4, width / 90) }),
      y: y_axis(title.toLowerCase(), { domain: extent([0, ...values]), ticks: 5 }),
      marks: [
        Plot.ruleY([0], { stroke: "var(--rule-strong)" }),
        Plot.ruleX([loss.of === "residual" ? 0 : 1], { stroke: "var(--rule-strong)", strokeDasharray: "3 3" }),
        Plot.line({ length: x.length }, { x, y: values, stroke: "var(--class-0)", strokeWidth: 2.2, strokeLinejoin: "round" }),
        Plot.tip({ length: x.length }, Plot.pointerX({ x, y: values, title: (_: unknown, i: number) => `${argument} ${number_text(x[i], 3)}\n${title.toLowerCase()} ${number_text(values[i], 3)}`, ...tip_look })),
      ],
    }, { name: `${title} over the ${argument}`, description: `${title.toLowerCase()} of ${loss.name} from ${number_text(x[0], 3)} to ${number_text(x[x.length - 1], 3)}` }),
  });
}
