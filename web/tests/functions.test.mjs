// The functions under the charts against closed forms.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { transformWithEsbuild } from "vite";

/** A module of src/ that imports nothing but types. @param {string} name */
async function load(name) {
  const file = fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url));
  const { code } = await transformWithEsbuild(readFileSync(file, "utf8"), file, { sourcemap: false });
  return import(`data:text/javascript,${encodeURIComponent(code)}`);
}

/** @param {number} low @param {number} high @param {number} count */
const spaced = (low, high, count) => Array.from({ length: count }, (_, i) => low + ((high - low) * i) / (count - 1));
/** @param {[number, number][]} line */
const length_of = (line) => line.slice(1).reduce((sum, [x, y], i) => sum + Math.hypot(x - (line[i]?.[0] ?? 0), y - (line[i]?.[1] ?? 0)), 0);

test("the contour of a plane is the exact straight line", async () => {
  const { contour_lines, joined_lines } = await load("charts/contour_lines");
  const [x, y] = [spaced(-1, 2, 7), spaced(0, 1, 5)];
  const value = y.map((b) => x.map((a) => 2 * a - b + 0.3));
  const lines = joined_lines(contour_lines(x, y, value, 0.5));
  assert.equal(lines.length, 1);
  for (const [a, b] of lines[0]) assert.ok(Math.abs(2 * a - b + 0.3 - 0.5) < 1e-12);
  assert.ok(Math.abs(length_of(lines[0]) - Math.hypot(1, 0.5)) < 1e-12);
});

test("the contour of a cone is one closed circle", async () => {
  const { contour_lines, joined_lines } = await load("charts/contour_lines");
  const grid = spaced(-2, 2, 161);
  const lines = joined_lines(contour_lines(grid, grid, grid.map((b) => grid.map((a) => Math.hypot(a, b))), 1.3));
  assert.equal(lines.length, 1);
  assert.ok(Math.abs(length_of(lines[0]) - 2 * Math.PI * 1.3) < 2e-3);
  assert.ok(Math.hypot(lines[0][0][0] - lines[0].at(-1)[0], lines[0][0][1] - lines[0].at(-1)[1]) < 1e-9);
});

test("contours at saddles do not cross, and stay out of squares with a missing value", async () => {
  const { contour_lines } = await load("charts/contour_lines");
  for (const [corner, cut] of [[1, 0], [-0.2, 1]]) {
    // Corners (corner, -1, corner, -1): the mean decides whether the two corners with the higher value belong together.
    const segments = contour_lines([0, 1], [0, 1], [[corner, -1], [-1, corner]], -0.5);
    assert.equal(segments.length, 2);
    const touches_origin = segments.some((/** @type {number[]} */ [x1 = 0, y1 = 0, x2 = 0, y2 = 0]) => (x1 === 0 || y1 === 0) && (x2 === 0 || y2 === 0) && x1 + y1 < 1 && x2 + y2 < 1 && x1 * x2 === 0 && y1 * y2 === 0);
    assert.equal(touches_origin, Boolean(cut));
  }
  assert.deepEqual(contour_lines([0, 1], [0, 1], [[null, 1], [-1, 1]], 0), []);
});

test("normal quantiles and probabilities", async () => {
  const { normal_quantile, normal_distribution } = await load("statistics");
  const known = [[0.975, 1.959963984540054], [0.5, 0], [0.9, 1.2815515655446004], [1e-6, -4.753424308822899], [0.00135, -2.9999769927034015]];
  for (const [share = 0, value = 0] of known) assert.ok(Math.abs(normal_quantile(share) - value) < 1e-7, `${share}: ${normal_quantile(share)}`);
  for (const share of spaced(0.001, 0.999, 97)) assert.ok(Math.abs(normal_distribution(normal_quantile(share)) - share) < 1e-9, `${share}`);
});

test("bins hold every value once", async () => {
  const { bin_edges, bin_counts, sorted_numbers, quantile_sorted } = await load("statistics");
  for (const values of [[3, 3, 3], [1], [0, 1, 2, 3, 4, 5, 100], spaced(-4, 4, 1001)]) {
    const sorted = sorted_numbers(values);
    const edges = bin_edges(sorted);
    const counts = bin_counts(sorted, edges);
    assert.equal(counts.length, edges.length - 1);
    assert.equal(counts.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b, 0), values.length);
    counts.forEach((/** @type {number} */ count, /** @type {number} */ i) => {
      const last = i === counts.length - 1;
      assert.equal(count, values.filter((value) => value >= edges[i] && (last ? value <= edges[i + 1] : value < edges[i + 1])).length);
    });
  }
  assert.equal(quantile_sorted([1, 2, 4], 0.5), 2);
  assert.equal(quantile_sorted([1, 2, 4], 0.75), 3);
});

test("numbers as text", async () => {
  const { number_text, count_text, percent_text, seconds_text, bytes_text, decimals_for, plural } = await load("format");
  const cases = [[0, "0"], [0.97312, "0.9731"], [12345.678, "12346"], [-0.5, "\u22120.5"], [0.000012345, "1.23e\u22125"], [1e9, "1e9"], [null, "\u2013"], [0.0012346, "0.001235"], [1200, "1200"], [99.999, "100"]];
  for (const [value, text] of cases) assert.equal(number_text(value), text);
  assert.equal(count_text(1234567), "1\u202f234\u202f567");
  assert.equal(percent_text(0.1234), "12.3\u202f%");
  assert.equal(seconds_text(0.0123), "12.3 ms");
  assert.equal(seconds_text(3821.4), "63 min 41 s");
  assert.equal(bytes_text(183204), "183 KB");
  assert.equal(decimals_for(0.015), 3);
  assert.equal(decimals_for(12), 0);
  assert.equal(plural(1, "row"), "1 row");
});
