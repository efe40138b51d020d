// Marks of Observable Plot that are painted on a canvas and put into the chart as one image: thousands of points or cells
// cost one element.
import * as Plot from "@observablehq/plot";
import { svg } from "../dom";
import { css, type Ramp, type Rgb } from "./ramp";

export interface Frame { left: number; top: number; width: number; height: number }
export interface Painter {
  context: CanvasRenderingContext2D;
  frame: Frame;
  x: (value: number) => number;
  y: (value: number) => number;
}

// A mark that paints within the frame of the chart, in the chart's pixels.
export function canvas_mark(paint: (painter: Painter) => void): Plot.RenderFunction {
  return (_index, scales, _values, dimensions) => {
    const frame = {
      left: dimensions.marginLeft,
      top: dimensions.marginTop,
      width: dimensions.width - dimensions.marginLeft - dimensions.marginRight,
      height: dimensions.height - dimensions.marginTop - dimensions.marginBottom,
    };
    const density = Math.min(2, Math.max(1, window.devicePixelRatio || 1));
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(frame.width * density));
    canvas.height = Math.max(1, Math.round(frame.height * density));
    const context = canvas.getContext("2d");
    if (!context) return null;
    context.setTransform(density, 0, 0, density, -frame.left * density, -frame.top * density);
    const identity = (value: number) => value;
    paint({
      context,
      frame,
      x: (scales.x as ((value: number) => number) | undefined) ?? identity,
      y: (scales.y as ((value: number) => number) | undefined) ?? identity,
    });
    return svg("image", {
      x: frame.left,
      y: frame.top,
      width: frame.width,
      height: frame.height,
      preserveAspectRatio: "none",
      href: canvas.toDataURL("image/png"),
      "aria-hidden": "true",
    });
  };
}

// Points in a few colours: at(i) is null for a point that is not drawn.
export function canvas_points(
  count: number,
  at: (index: number) => { x: number; y: number; color: string } | null,
  radius: number,
  opacity: number,
): Plot.RenderFunction {
  return canvas_mark(({ context, x, y }) => {
    context.globalAlpha = opacity;
    for (let i = 0; i < count; ++i) {
      const point = at(i);
      if (!point) continue;
      context.fillStyle = point.color;
      context.beginPath();
      context.arc(x(point.x), y(point.y), radius, 0, 2 * Math.PI);
      context.fill();
    }
  });
}

// Cells whose centres are x and y, coloured by colors(row, column) (null: left open), stretched over the frame.
// smooth blends neighbours; otherwise every cell keeps its edge.
export function canvas_cells(
  x_centres: number[],
  y_centres: number[],
  color_at: (row: number, column: number) => Rgb | null,
  look: "smooth" | "cells",
): Plot.RenderFunction {
  return canvas_mark(({ context, x, y }) => {
    const columns = x_centres.length;
    const rows = y_centres.length;
    if (columns === 0 || rows === 0) return;
    const small = document.createElement("canvas");
    small.width = columns;
    small.height = rows;
    const inner = small.getContext("2d");
    if (!inner) return;
    const image = inner.createImageData(columns, rows);
    for (let row = 0; row < rows; ++row) {
      for (let column = 0; column < columns; ++column) {
        const rgb = color_at(row, column);
        if (!rgb) continue;
        image.data.set([rgb[0], rgb[1], rgb[2], 255], 4 * (row * columns + column));
      }
    }
    inner.putImageData(image, 0, 0);
    const [left, right] = outer_edges(x_centres.map(x));
    const [first, last] = outer_edges(y_centres.map(y));
    context.imageSmoothingEnabled = look === "smooth";
    context.imageSmoothingQuality = "high";
    // A y axis that points up turns the picture over.
    context.translate(left, first);
    context.scale((right - left) / columns, (last - first) / rows);
    context.drawImage(small, 0, 0);
  });
}

// Half a cell beyond the first and the last centre.
function outer_edges(centres: number[]): [number, number] {
  const first = centres[0] ?? 0;
  const last = centres[centres.length - 1] ?? 0;
  if (centres.length < 2) return [first - 0.5, last + 0.5];
  return [first - ((centres[1] ?? 0) - first) / 2, last + (last - (centres[centres.length - 2] ?? 0)) / 2];
}

// A horizontal bar with the ramp's colours and its ends written beside it.
export function ramp_legend(ramp: Ramp, low: string, high: string, label: string): HTMLElement {
  const stops = Array.from({ length: 9 }, (_, i) => css(ramp(i / 8))).join(",");
  const legend = document.createElement("div");
  legend.className = "ramp";
  const bar = document.createElement("span");
  bar.className = "bar";
  bar.style.background = `linear-gradient(to right, ${stops})`;
  legend.append(`${label}  `, low, bar, high);
  return legend;
}
