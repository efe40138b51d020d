// The search for parameters: the surface over two of them, or every one alone, and the table of points.
import { element } from "../dom";
import { figure_element, row_of } from "../figure";
import { count_text, number_text } from "../format";
import type { Report, Tuning, TuningPoint } from "../report";
import type { Section } from "../section";
import { table_element } from "../table";
import { parameter_figure, surface_figure } from "./tuning_charts";

const shown_points = 10;

export function tuning_section(report: Report): Section | null {
  const tuning = report.tuning;
  if (!tuning || tuning.points.length === 0) return null;
  return {
    id: "tuning",
    title: "Tuning",
    group: "How it was chosen",
    lead: lead(tuning),
    body: () => {
      const surface = tuning.x && tuning.y && tuning.mean ? surface_figure(tuning, tuning.x, tuning.y, tuning.mean) : null;
      const charts = surface ? [figure_element(surface)] : [row_of(...numeric_parameters(tuning).map((name) => parameter_figure(tuning, name)))];
      return [...charts, element("h3", {}, "The best points"), ...tables(tuning)];
    },
  };
}

function lead(tuning: Tuning): string {
  const best = tuning.points[tuning.best];
  const chosen = tuning.points[tuning.chosen];
  const of = `${count_text(tuning.points.length)} points were tried`;
  if (!best) return `${of}; ${tuning.better} ${tuning.metric} is better.`;
  const error = best.error === null ? "" : ` \u00b1 ${number_text(best.error, 2)}`;
  const rule = !chosen || tuning.best === tuning.chosen ? "; it was chosen."
    : `. Chosen was ${point_text(chosen)}, the simplest within one standard error of the best.`;
  return `${of}; the best ${tuning.metric} is ${number_text(best.mean)}${error}, at ${point_text(best)}${rule} A best point at the edge of the range asks for a wider one.`;
}

export function value_text(value: number | string | undefined): string {
  return typeof value === "string" ? value : number_text(value, 4);
}

export function point_text(point: TuningPoint): string {
  return Object.entries(point.parameters).map(([name, value]) => `${name} = ${value_text(value)}`).join(", ");
}

function numeric_parameters(tuning: Tuning): string[] {
  const names = Object.keys(tuning.points[0]?.parameters ?? {});
  return names.filter((name) => new Set(tuning.points.map((point) => point.parameters[name])).size > 1 && tuning.points.every((point) => typeof point.parameters[name] === "number"));
}

function tables(tuning: Tuning): HTMLElement[] {
  const names = [...new Set(tuning.points.flatMap((point) => Object.keys(point.parameters)))];
  const sign = tuning.better === "higher" ? -1 : 1;
  const worst = Infinity;
  const order = tuning.points.map((_, i) => i).sort((a, b) => {
    const key = (i: number) => (tuning.points[i]?.mean == null ? worst : sign * (tuning.points[i]?.mean as number));
    return key(a) - key(b) || a - b;
  });
  const row = (i: number) => {
    const point = tuning.points[i] as TuningPoint;
    const tag = [i === tuning.best && "best", i === tuning.chosen && "chosen"].filter(Boolean).join(", ");
    const cell = (text: string) => element("span", { class: "number" }, text);
    return [...names.map((name) => point.parameters[name]), cell(number_text(point.mean, 4)), cell(number_text(point.error, 2)), tag ? element("span", { class: "tag chosen" }, tag) : ""];
  };
  const columns = [...names, tuning.metric, "standard error", ""];
  const top = order.slice(0, shown_points);
  if (order.includes(tuning.chosen) && !top.includes(tuning.chosen)) top.push(tuning.chosen);
  const parts = [table_element({ columns, rows: top.map(row) }, "Best points of the search")];
  if (order.length > top.length) {
    const all = element("details", { class: "numbers" }, element("summary", {}, `Show all ${count_text(order.length)} points`));
    all.addEventListener("toggle", () => {
      if (all.childElementCount === 1) all.append(table_element({ columns, rows: order.map(row) }, "All points of the search"));
    });
    parts.push(all);
  }
  return parts;
}
