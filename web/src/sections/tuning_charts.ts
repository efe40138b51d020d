// The charts of the tuning section.
import * as Plot from "@observablehq/plot";
import { canvas_cells, ramp_legend } from "../charts/canvas";
import { draw_plot, extent, tip_look, x_axis, y_axis } from "../charts/plot";
import { sequential } from "../charts/ramp";
import { element } from "../dom";
import type { Figure } from "../figure";
import { number_text } from "../format";
import type { Axis, Maybe, Tuning } from "../report";
import { sorted_numbers, quantile_sorted } from "../statistics";
import { point_text } from "./tuning";

// Every cell of the grid by its number, so that grids of any spacing have cells of one size; ticks carry the values.
export function surface_figure(tuning: Tuning, x: Axis, y: Axis, mean: Maybe[][]): Figure {
  const numbers = sorted_numbers(mean.flat().filter((value): value is number => value !== null));
  const best_value = tuning.better === "higher" ? numbers[numbers.length - 1] ?? 1 : numbers[0] ?? 0;
  // The far half of the plane is often hopeless; the colours are spent on the half that is not.
  const far_value = quantile_sorted(numbers, tuning.better === "higher" ? 0.05 : 0.95);
  const places = (axis: Axis) => axis.values.map((_, i) => i + 0.5);
  const marked = marks_of(tuning, x, y);
  return {
    title: `${tuning.metric} over ${x.name} and ${y.name}`,
    note: "coloured from poor to best as in the bar",
    widest: 760,
    numbers: () => ({
      columns: [x.name, y.name, tuning.metric, "standard error"],
      rows: y.values.flatMap((y_value, i) => x.values.map((x_value, j) => [x_value, y_value, mean[i]?.[j], tuning.error?.[i]?.[j]])),
    }),
    draw: (width) => {
      const ramp = sequential();
      const margin = 72;
      const room = width - margin - 16;
      const side = Math.min(56, room / x.values.length, 460 / y.values.length);
      const chart_width = Math.max(Math.min(width, 240), Math.round(side * x.values.length) + margin + 16);
      const share = (value: number) => (value - far_value) / (best_value - far_value || 1);
      const with_text = side >= 42;
      const cells = y.values.flatMap((_, i) => x.values.map((__, j) => ({ i, j, value: mean[i]?.[j] ?? null, error: tuning.error?.[i]?.[j] ?? null })));
      const chart = draw_plot({
        width: chart_width, height: Math.round(side * y.values.length) + 76, marginLeft: margin, marginRight: 16, marginTop: 26, marginBottom: 50,
        x: x_axis(x.name, { domain: [0, x.values.length], ticks: thin(places(x), side), tickFormat: (place: number) => axis_text(x, Math.floor(place)) }),
        y: y_axis(y.name, { domain: [0, y.values.length], ticks: thin(places(y), side * 2.4), tickFormat: (place: number) => axis_text(y, Math.floor(place)) }),
        marks: [
          canvas_cells(places(x), places(y), (row, column) => {
            const value = mean[row]?.[column];
            return value === null || value === undefined ? null : ramp(0.04 + 0.9 * Math.max(0, share(value)));
          }, "cells"),
          Plot.frame({ stroke: "var(--rule-strong)" }),
          with_text ? Plot.text(cells.filter((cell) => cell.value !== null), {
            x: (cell) => cell.j + 0.5, y: (cell) => cell.i + 0.5, text: (cell) => number_text(cell.value, 3), fontSize: 10.5,
            fill: (cell) => (share(cell.value as number) > 0.5 ? "var(--paper)" : "var(--ink)"), dy: 0,
          }) : null,
          ...marked.map((mark) => Plot.rect([mark], { x1: [mark.j], x2: [mark.j + 1], y1: [mark.i], y2: [mark.i + 1], inset: 1, stroke: "var(--class-1)",
            strokeWidth: 2.5, fill: "none", rx: 3, ...(mark.word === "best" ? { strokeDasharray: "4 3" } : {}) })),
          Plot.text(marked, { x: (mark) => mark.j + 0.5, y: (mark) => mark.i + 1, text: "word", dy: -8, fill: "var(--class-1)", fontWeight: 650, stroke: "var(--paper)", strokeWidth: 4 }),
          Plot.tip(cells, Plot.pointer({
            x: (cell) => cell.j + 0.5, y: (cell) => cell.i + 0.5, ...tip_look,
            title: (cell) => `${x.name} ${axis_text(x, cell.j)}\n${y.name} ${axis_text(y, cell.i)}\n${tuning.metric} ${number_text(cell.value)}${cell.error === null ? "" : ` \u00b1 ${number_text(cell.error, 2)}`}`,
          })),
        ],
      }, { name: `Surface of ${tuning.metric}`, description: `best ${number_text(best_value)} over ${x.name} and ${y.name}` });
      return element("div", {}, ramp_legend(ramp, number_text(far_value, 3), number_text(best_value, 3), tuning.metric), chart);
    },
  };
}

function thin(places: number[], side: number): number[] {
  const step = Math.max(1, Math.ceil(46 / side));
  return places.filter((_, i) => i % step === 0);
}

// Powers of two, where the axis has nothing else and goes far: they are what people search over.
function axis_text(axis: Axis, place: number): string {
  const value = axis.values[place];
  if (value === undefined) return "";
  const is_power = (entry: number) => entry > 0 && Math.abs(Math.log2(entry) - Math.round(Math.log2(entry))) < 1e-4;
  const far = axis.values.some((entry) => Math.abs(Math.log2(entry)) >= 5);
  return far && axis.values.every(is_power) ? `2${raised(Math.round(Math.log2(value)))}` : number_text(value, 3);
}

function raised(power: number): string {
  const digits = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079";
  return [...String(power)].map((sign) => (sign === "-" ? "\u207b" : digits[Number(sign)])).join("");
}

function marks_of(tuning: Tuning, x: Axis, y: Axis): { i: number; j: number; word: string }[] {
  const place = (index: number) => {
    const parameters = tuning.points[index]?.parameters ?? {};
    return { i: nearest(y.values, parameters[y.name]), j: nearest(x.values, parameters[x.name]) };
  };
  const best = { ...place(tuning.best), word: "best" };
  const chosen = { ...place(tuning.chosen), word: "chosen" };
  const both = tuning.best === tuning.chosen ? [{ ...best, word: "chosen" }] : [best, chosen];
  return both.filter((mark) => mark.i >= 0 && mark.j >= 0);
}

// The place of the value in the list, to a relative accuracy that printing keeps; -1 if it is not there.
function nearest(values: number[], value: number | string | undefined): number {
  if (typeof value !== "number") return -1;
  return values.findIndex((entry) => Math.abs(entry - value) <= 1e-4 * Math.max(Math.abs(entry), Math.abs(value)));
}

export function parameter_figure(tuning: Tuning, name: string): Figure {
  const points = tuning.points.flatMap((point, i) => {
    const value = point.parameters[name];
    return typeof value === "number" && point.mean !== null ? [{ value, mean: point.mean, i, text: point_text(point) }] : [];
  });
  const values = points.map((point) => point.value);
  const log = values.every((value) => value > 0) && Math.max(...values) > 20 * Math.min(...values);
  const special = points.filter((point) => point.i === tuning.best || point.i === tuning.chosen);
  return {
    title: `${tuning.metric} over ${name}`,
    widest: 460,
    numbers: () => ({ columns: [name, tuning.metric], rows: points.map((point) => [point.value, point.mean]) }),
    draw: (width) => draw_plot({
      width, height: Math.round(0.72 * width), marginTop: 26, marginLeft: 58,
      x: x_axis(name, log ? { type: "log", ticks: 5, tickFormat: (value: number) => number_text(value, 2) } : { ticks: 5, domain: extent(values) }),
      y: y_axis(tuning.metric, { domain: extent(points.map((point) => point.mean)), ticks: 5 }),
      marks: [
        Plot.dot(points, { x: "value", y: "mean", r: 3, fill: "var(--class-0)", fillOpacity: 0.6, title: (point: (typeof points)[number]) => `${point.text}\n${number_text(point.mean)}`, tip: tip_look }),
        Plot.dot(special, { x: "value", y: "mean", r: 6, stroke: "var(--class-1)", strokeWidth: 2.2 }),
        Plot.text(special, { x: "value", y: "mean", dy: -13, fill: "var(--class-1)", fontWeight: 650, stroke: "var(--paper)", strokeWidth: 4, text: (point: (typeof points)[number]) => (point.i === tuning.chosen ? "chosen" : "best") }),
      ],
    }, { name: `${tuning.metric} over ${name}`, description: `${points.length} points` }),
  };
}
