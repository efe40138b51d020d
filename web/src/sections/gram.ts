// The Gram matrix as a heat map, and its spectrum.
import * as Plot from "@observablehq/plot";
import { canvas_cells, ramp_legend } from "../charts/canvas";
import { diverging, sequential } from "../charts/ramp";
import { draw_plot, shortened, tip_look, x_axis, y_axis } from "../charts/plot";
import { element } from "../dom";
import { row_of, type Figure } from "../figure";
import { number_text } from "../format";
import type { Gram, Report } from "../report";
import { thinned_note, type Section } from "../section";

export function gram_section(report: Report): Section | null {
  const gram = report.gram;
  if (!gram || gram.values.length === 0) return null;
  return {
    id: "gram",
    title: "Gram matrix",
    group: "Inside",
    lead: lead(gram),
    body: () => [row_of(heat_map(gram), gram.spectrum.length > 0 && spectrum(gram))],
  };
}

function lead(gram: Gram): string {
  const facts = [
    gram.effective_rank === null ? "" : `about ${number_text(gram.effective_rank, 3)} directions carry the matrix`,
    gram.condition === null ? "" : `its condition number is ${number_text(gram.condition, 3)}`,
  ].filter(Boolean);
  const blocks = gram.groups.length > 1 ? "Strong blocks along the diagonal mean that the kernel finds rows of one group alike." : "Every cell is the kernel of two rows.";
  const numbers = facts.length > 0 ? ` In numbers: ${facts.join("; ")}.` : "";
  return `${blocks} A matrix that is nearly diagonal has learnt nothing to share between rows, one that is nearly constant cannot tell them apart.${numbers} Order: ${gram.order}.${thinned_note(gram.thinned)}`;
}

function heat_map(gram: Gram): Figure {
  const size = gram.values.length;
  const numbers = gram.values.flat().filter((value): value is number => value !== null);
  const low = numbers.reduce((a, b) => Math.min(a, b), Infinity);
  const high = numbers.reduce((a, b) => Math.max(a, b), -Infinity);
  const signed = low < -0.02 * Math.max(high, -low);
  const most = Math.max(high, -low) || 1;
  const from = signed ? -most : Math.min(0, low);
  const places = Array.from({ length: size }, (_, i) => i + 0.5);
  // Groups are given in rows; the picture may have fewer cells than there are rows.
  const last = Math.max(size, ...gram.groups.map((group) => group.end));
  const cell = (row: number) => (row * size) / last;
  const group_of = (i: number) => gram.groups.find((group) => i + 0.5 >= cell(group.begin) && i + 0.5 < cell(group.end))?.name;
  return {
    title: "Kernel values",
    widest: 480,
    numbers: () => ({ columns: ["", ...places.map((_, i) => String(i))], rows: gram.values.map((row, i) => [String(i), ...row]) }),
    draw: (width) => {
      const ramp = signed ? diverging() : sequential();
      const named = gram.groups.length > 1 && gram.groups.length <= 20 ? gram.groups : [];
      const margin = named.length > 0 ? Math.min(90, 12 + 7 * Math.max(...named.map((group) => Math.min(group.name.length, 11)))) : 10;
      const room = width - margin - 8;
      const wide_enough = named.every((group) => ((cell(group.end) - cell(group.begin)) / size) * room > 7 * Math.min(group.name.length, 11));
      const centre = (group: { begin: number; end: number }) => (cell(group.begin) + cell(group.end)) / 2;
      const borders = named.slice(1).map((group) => cell(group.begin));
      const chart = draw_plot({
        width, height: room + 34, marginLeft: margin, marginRight: 8, marginTop: 26, marginBottom: 8,
        x: { domain: [0, size], axis: null }, y: { domain: [size, 0], axis: null },
        marks: [
          canvas_cells(places, places, (row, column) => {
            const value = gram.values[row]?.[column];
            return value === null || value === undefined ? null : ramp((value - from) / ((signed ? most : high) - from || 1));
          }, "cells"),
          Plot.ruleX(borders, { stroke: "var(--paper)", strokeOpacity: 0.7 }),
          Plot.ruleY(borders, { stroke: "var(--paper)", strokeOpacity: 0.7 }),
          Plot.frame({ stroke: "var(--rule-strong)" }),
          Plot.text(named, { x: () => 0, y: centre, text: (group: { name: string }) => shortened(group.name, 220), textAnchor: "end", dx: -6, fill: "var(--ink)" }),
          wide_enough ? Plot.text(named, { x: centre, y: () => 0, text: (group: { name: string }) => shortened(group.name, 220), dy: -9, fill: "var(--ink)" }) : null,
          Plot.tip({ length: size * size }, Plot.pointer({
            x: (_: unknown, i: number) => (i % size) + 0.5, y: (_: unknown, i: number) => Math.floor(i / size) + 0.5,
            title: (_: unknown, i: number) => {
              const [row, column] = [Math.floor(i / size), i % size];
              const names = named.length > 0 ? `\n${group_of(row)} with ${group_of(column)}` : "";
              return `${number_text(gram.values[row]?.[column])}${names}\ncell ${row}, ${column}`;
            }, ...tip_look,
          })),
        ],
      }, { name: "Heat map of the Gram matrix", description: `${size} by ${size} cells from ${number_text(low, 3)} to ${number_text(high, 3)}` });
      return element("div", {}, ramp_legend(ramp, number_text(from, 3), number_text(signed ? most : high, 3), "kernel"), chart);
    },
  };
}

function spectrum(gram: Gram): Figure {
  // Below what double precision can tell from zero there is nothing but rounding.
  const first = Math.max(...gram.spectrum, 0);
  const floor = first * 1e-16;
  const values = gram.spectrum.map((value, i) => ({ number: i + 1, value })).filter(({ value }) => value > floor);
  const left_out = gram.spectrum.length - values.length;
  const rank = gram.effective_rank;
  return {
    title: "Eigenvalues",
    note: `on a logarithmic scale: a fast fall means a smooth kernel${left_out > 0 ? `; ${left_out} at or below zero are left out` : ""}`,
    widest: 480,
    numbers: () => ({ columns: ["number", "eigenvalue"], rows: gram.spectrum.map((value, i) => [i + 1, value]) }),
    draw: (width) => draw_plot({
      width, height: Math.round(0.82 * width), marginTop: 26, marginLeft: 58,
      x: x_axis("number, largest first", { domain: [1, Math.max(2, gram.spectrum.length)], ticks: 5 }),
      y: y_axis("eigenvalue", { type: "log", ticks: 6, tickFormat: power_text }),
      marks: [
        rank !== null ? Plot.ruleX([rank], { stroke: "var(--ink-soft)", strokeDasharray: "4 4" }) : null,
        rank !== null ? Plot.text([rank], { x: [rank], text: [`effective rank ${number_text(rank, 3)}`], frameAnchor: "top", dy: 4, dx: 6, textAnchor: "start", fill: "var(--ink)", stroke: "var(--paper)", strokeWidth: 4 }) : null,
        Plot.line(values, { x: "number", y: "value", stroke: "var(--class-0)", strokeWidth: 2 }),
        values.length <= 60 ? Plot.dot(values, { x: "number", y: "value", r: 2.5, fill: "var(--class-0)" }) : null,
        Plot.tip(values, Plot.pointerX({ x: "number", y: "value", title: (entry: { number: number; value: number }) => `number ${entry.number}\n${number_text(entry.value)}`, ...tip_look })),
      ],
    }, { name: "Spectrum of the Gram matrix", description: `${values.length} eigenvalues, largest ${number_text(first, 3)}` }),
  };
}

function power_text(value: number): string {
  const power = Math.log10(value);
  if (Math.abs(power - Math.round(power)) > 1e-9) return "";
  return Math.abs(power) <= 3 ? number_text(value) : `1e${Math.round(power)}`.replace("-", "\u2212");
}
