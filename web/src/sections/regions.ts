// What the model says over a plane: values as a heat map with the boundary and the margins, or the regions of classes,
// and the rows upon it with the support vectors ringed.
import * as Plot from "@observablehq/plot";
import { canvas_cells, canvas_mark, ramp_legend } from "../charts/canvas";
import { contour_lines, joined_lines } from "../charts/contour_lines";
import { css, diverging, sequential, tint, type Ramp, type Rgb } from "../charts/ramp";
import { draw_plot, extent, nearest_tip, x_axis, y_axis } from "../charts/plot";
import { legend_element, type Chip } from "../chips";
import { element } from "../dom";
import { figure_element } from "../figure";
import { count_text, list_text, number_text, percent_text } from "../format";
import type { Maybe, Regions, Report } from "../report";
import { thinned_note, type Section } from "../section";
import { quantile_sorted, sorted_numbers } from "../statistics";
import { class_color, class_variable, color } from "../theme";

type Kind = "binary" | "classes" | "signed" | "prediction" | "density" | "clusters" | "points";

export function regions_section(report: Report): Section | null {
  const regions = report.regions;
  if (!regions || regions.x.length < 2 || regions.y.length < 2) return null;
  const kind = kind_of(regions, report.model.task);
  return {
    id: "regions",
    title: { binary: "Decision regions", classes: "Decision regions", signed: "The region of usual rows", prediction: "Predictions over the plane", density: "The density over the plane", clusters: "Clusters over the plane", points: "The rows on a plane" }[kind],
    group: "What it learnt",
    lead: `${lead(kind, regions)} ${regions.how}${thinned_note(regions.thinned)}`,
    body: () => [legend_element(chips(regions, kind)), figure_element({
      title: `${regions.axes[1]} against ${regions.axes[0]}`,
      widest: 760,
      numbers: () => point_table(regions),
      draw: (width) => draw_regions(regions, kind, width),
    })],
  };
}

// The grid may be empty: the rows are drawn alone then.
const filled = (grid: unknown[][] | undefined) => Boolean(grid && grid.length > 0);

function kind_of(regions: Regions, task: string): Kind {
  if (!filled(regions.value) && !filled(regions.label)) return "points";
  if (task === "classification") return filled(regions.value) && (regions.classes?.length ?? 0) === 2 ? "binary" : "classes";
  if (task === "clustering") return "clusters";
  return task === "novelty" ? "signed" : task === "density" ? "density" : "prediction";
}

function lead(kind: Kind, regions: Regions): string {
  switch (kind) {
    case "binary": return "The solid line is the decision boundary, the dashed lines are where the decision value is \u00b11, the margins of a support vector machine; the stronger the colour, the surer the model.";
    case "classes": return "The colour of the ground is the class that the model predicts there.";
    case "signed": return "Inside the solid line the model takes a row for usual, outside it flags it.";
    case "prediction": return `The ${regions.points.residual ? "shade" : "colour"} is the prediction, from low to high as in the bar; lines join equal predictions, ` +
      (regions.points.residual ? "dots show by how much the truth is above (blue) or below (vermilion) the prediction." : "dots have the colour of their true value.");
    case "density": return "The stronger the ground, as in the bar, the more likely rows are there" + (regions.levels && regions.levels.length > 0
      ? `; inside each line the density is highest, and ${list_text(regions.levels.map(({ share }) => percent_text(share, 0)))} of the rows lie there, from the innermost line outwards.` : ".");
    case "clusters": return "The colour of the ground is the cluster that a row there would belong to.";
    case "points": return "Rows that the kernel finds alike lie close together.";
  }
}

// In the order of their numbers in the data: 0 is new, 1 is usual.
const usual_names = ["labelled as new", "labelled as usual"];

function chips(regions: Regions, kind: Kind): Chip[] {
  const support = regions.points.support ?? [];
  const free = support.filter((state) => state === 1).length;
  const bound = support.filter((state) => state === 2).length;
  const labels = kind === "signed" ? (regions.points.class ? usual_names : []) : regions.classes ?? [];
  const names = labels.map((name, i) => ({ name, color: class_color(kind === "signed" ? 1 - i : i) }));
  return [
    ...names,
    ...(free > 0 ? [{ name: "\u25cb free support vector", note: count_text(free) }] : []),
    ...(bound > 0 ? [{ name: "\u25a1 bound support vector", note: count_text(bound) }] : []),
  ];
}

function point_table({ points, axes, classes }: Regions) {
  const states = ["", "free", "bound"];
  return {
    columns: [...axes, ...(points.class ? ["class"] : []), ...(points.value ? ["value"] : []), ...(points.residual ? ["residual"] : []), ...(points.support ? ["support vector"] : [])],
    rows: points.x.map((x, i) => [
      x, points.y[i],
      ...(points.class ? [class_name(classes, points.class[i])] : []),
      ...(points.value ? [points.value[i]] : []),
      ...(points.residual ? [points.residual[i]] : []),
      ...(points.support ? [states[points.support[i] ?? 0]] : []),
    ]),
  };
}

function class_name(classes: string[] | undefined, index: number | undefined): string {
  return index === undefined || index < 0 ? "" : classes?.[index] ?? String(index);
}

// Which colour stands for which value: classes by number, values by a ramp about zero or from least to most.
function ground(regions: Regions, kind: Kind): { at: (row: number, column: number) => Rgb | null; legend: HTMLElement | null } {
  const { value, label } = regions;
  if (kind === "classes" || kind === "clusters" || kind === "points" || !value) {
    return { at: (row, column) => {
      const index = label?.[row]?.[column];
      return index === undefined || index < 0 ? null : tint(class_variable(index), 0.3);
    }, legend: null };
  }
  const numbers = sorted_numbers(value.flat().filter((v): v is number => v !== null));
  if (kind === "prediction") {
    const [low, high] = shown_range(regions);
    // Without a hue of its own, so that those of the residuals are seen.
    const ramp: Ramp = regions.points.residual ? (share) => tint("--ink", 0.03 + 0.5 * Math.min(1, Math.max(0, share))) : sequential();
    const legend = ramp_legend(ramp, number_text(low, 3), number_text(high, 3), "prediction");
    const residuals = residual_scale(regions);
    return {
      at: by_value(value, (v) => ramp((v - low) / (high - low || 1))),
      legend: residuals ? element("div", {}, legend, ramp_legend(residuals.ramp, number_text(-residuals.most, 2), number_text(residuals.most, 2), "residual")) : legend,
    };
  }
  if (kind === "density") {
    // Where the density is infinite at a few nodes the rest must not vanish.
    const high = quantile_sorted(numbers, 0.999) || numbers[numbers.length - 1] || 1;
    const strong = sequential();
    const ramp: Ramp = (share) => soften(strong(share), 0.8);
    return { at: by_value(value, (v) => ramp(v / high)), legend: ramp_legend(ramp, "0", number_text(high, 3), "density") };
  }
  const most = Math.max(quantile_sorted(sorted_numbers(numbers.map(Math.abs)), 0.98), 1e-12);
  const forward = diverging();
  // The ramp ends in the colour of the first class; it is turned where that class has the negative values.
  const turned = kind === "binary" && positive_class(regions) === 1;
  const ramp: Ramp = (share) => soften(forward(turned ? 1 - share : share));
  return { at: by_value(value, (v) => ramp(0.5 + v / (2 * most))), legend: ramp_legend(ramp, number_text(-most, 2), number_text(most, 2), "decision value") };
}

function by_value(value: Maybe[][], paint: (v: number) => Rgb): (row: number, column: number) => Rgb | null {
  return (row, column) => {
    const v = value[row]?.[column];
    return v === null || v === undefined ? null : paint(v);
  };
}

// Points must stand out from the ground.
function soften(rgb: Rgb, share = 0.58): Rgb {
  const paper = tint("--zero", 1);
  return [0, 1, 2].map((i) => (paper[i] as number) + share * ((rgb[i] as number) - (paper[i] as number))) as Rgb;
}

// From the least to the largest prediction, but not far beyond those at the rows: where there are none a model may say
// anything, and the rest would lose its shades.
function shown_range({ value, points }: Regions): [number, number] {
  const [low, high] = extent((value ?? []).flat(), 0);
  if (!points.residual || !points.value) return [low, high];
  const [least, most] = extent(points.value.map((truth, i) => (truth === null || points.residual?.[i] == null ? null : truth - (points.residual[i] as number))), 0.1);
  return most > least ? [Math.max(low, least), Math.min(high, most)] : [low, high];
}

// The size of residuals that has the full colour, and the colours from below to above the prediction.
function residual_scale({ points }: Regions): { most: number; ramp: Ramp } | null {
  if (!points.residual) return null;
  const sizes = sorted_numbers(points.residual.filter((v): v is number => v !== null).map(Math.abs));
  return { most: Math.max(quantile_sorted(sizes, 0.95) || 0, 1e-12), ramp: diverging() };
}

function positive_class({ value, label }: Regions): number {
  let most = -Infinity;
  let found = 1;
  value?.forEach((row, i) => row.forEach((v, j) => {
    if (v !== null && v > most) {
      most = v;
      found = label?.[i]?.[j] ?? 1;
    }
  }));
  return found;
}

function draw_regions(regions: Regions, kind: Kind, width: number): Element {
  const { points, axes } = regions;
  const { at, legend } = ground(regions, kind);
  const chart = draw_plot({
    width,
    height: Math.round(Math.min(0.78 * width, 580)),
    marginTop: 26,
    x: x_axis(axes[0], { domain: extent(regions.x, 0), ticks: Math.max(4, width / 100) }),
    y: y_axis(axes[1], { domain: extent(regions.y, 0), ticks: 6 }),
    marks: [
      canvas_cells(regions.x, regions.y, at, regions.cells ? "cells" : "smooth"),
      ...lines(regions, kind),
      painted_points(regions, kind),
      Plot.frame({ stroke: "var(--rule-strong)" }),
      nearest_tip(points.x, points.y, (i) => [
        `${axes[0]} ${number_text(points.x[i])}`, `${axes[1]} ${number_text(points.y[i])}`,
        points.class ? (kind === "clusters" ? class_name(regions.classes, points.class[i]) : `class ${class_name(regions.classes, points.class[i])}`) : "",
        points.value ? `${kind === "density" ? "log-density" : "value"} ${number_text(points.value[i])}` : "",
        points.residual ? `residual ${number_text(points.residual[i])}` : "",
        ["", "free support vector", "bound support vector"][points.support?.[i] ?? 0],
      ].filter(Boolean).join("\n")),
    ],
  }, { name: "Map of the model over two axes", description: `${axes[0]} and ${axes[1]}, ${points.x.length} rows` });
  return legend ? element("div", {}, legend, chart) : chart;
}

function lines(regions: Regions, kind: Kind): Plot.Markish[] {
  const { x, y, value, levels: held } = regions;
  if (!value || regions.cells || kind === "classes" || kind === "clusters" || kind === "points") return [];
  let levels: { level: number; dash?: number[]; wide: number }[] = [{ level: 0, wide: 2 }];
  if (kind === "binary") levels.push({ level: 1, dash: [6, 5], wide: 1.2 }, { level: -1, dash: [6, 5], wide: 1.2 });
  if (kind === "prediction") {
    const [low, high] = shown_range(regions);
    levels = Array.from({ length: 7 }, (_, i) => ({ level: low + ((high - low) * (i + 1)) / 8, wide: 0.8 }));
  }
  if (kind === "density") {
    const [, high] = extent(value.flat(), 0);
    levels = held && held.length > 0 ? held.map(({ level }) => ({ level, wide: 1.3 }))
      : Array.from({ length: 6 }, (_, i) => ({ level: (high * (i + 1)) / 7, wide: 0.8 }));
  }
  return levels.map(({ level, dash, wide }) => {
    const joined = joined_lines(contour_lines(x, y, value, level));
    return canvas_mark(({ context, x: to_x, y: to_y }) => {
      context.strokeStyle = color("--ink");
      context.globalAlpha = kind === "prediction" ? 0.4 : 0.9;
      context.lineWidth = wide;
      context.lineJoin = "round";
      context.setLineDash(dash ?? []);
      context.beginPath();
      for (const line of joined) {
        line.forEach(([x1, y1], i) => (i === 0 ? context.moveTo(to_x(x1), to_y(y1)) : context.lineTo(to_x(x1), to_y(y1))));
      }
      context.stroke();
    });
  });
}

function painted_points(regions: Regions, kind: Kind): Plot.RenderFunction {
  return canvas_mark(({ context, x, y }) => {
    const { points } = regions;
    const fill = point_color(regions, kind);
    // Upon a density rows are small, so that the ground is seen where they are many.
    const many = points.x.length > 800 || kind === "density";
    const radius = points.x.length > 4000 ? 1.7 : many ? 2.2 : 3.4;
    const ink = color("--ink");
    const paper = color("--paper");
    points.x.forEach((value, i) => {
      const [px, py] = [x(value), y(points.y[i] as number)];
      context.fillStyle = fill(i);
      context.strokeStyle = kind === "prediction" ? ink : paper;
      context.lineWidth = many ? 0.4 : kind === "prediction" ? 0.8 : 1;
      context.globalAlpha = many ? 0.75 : 0.95;
      context.beginPath();
      context.arc(px, py, radius, 0, 2 * Math.PI);
      context.fill();
      context.stroke();
      const state = points.support?.[i] ?? 0;
      if (state === 0) return;
      context.strokeStyle = ink;
      context.lineWidth = state === 1 ? 1.5 : 1;
      context.beginPath();
      if (state === 1) context.arc(px, py, radius + 2.2, 0, 2 * Math.PI);
      else context.rect(px - radius - 1.4, py - radius - 1.4, 2 * radius + 2.8, 2 * radius + 2.8);
      context.stroke();
    });
  });
}

// By class where there are classes, by the true value upon a map of predictions, else in ink.
function point_color(regions: Regions, kind: Kind): (index: number) => string {
  const { points, value } = regions;
  const ink = color("--ink");
  if (points.class) {
    const classes = points.class;
    return (i) => ((classes[i] ?? -1) < 0 ? ink : color_of(kind === "signed" ? 1 - (classes[i] as number) : (classes[i] as number)));
  }
  const residuals = kind === "prediction" ? residual_scale(regions) : null;
  if (residuals) {
    return (i) => (points.residual?.[i] == null ? ink : css(residuals.ramp(0.5 + (points.residual[i] as number) / (2 * residuals.most))));
  }
  if (kind === "prediction" && points.value && value) {
    const [low, high] = shown_range(regions);
    const ramp = sequential();
    return (i) => (points.value?.[i] == null ? ink : css(ramp(((points.value[i] as number) - low) / (high - low || 1))));
  }
  return () => ink;
}

const known = new Map<string, string>();
function color_of(index: number): string {
  const key = `${document.documentElement.dataset["theme"]} ${index}`;
  let value = known.get(key);
  if (value === undefined) known.set(key, (value = color(class_variable(index))));
  return value;
}
