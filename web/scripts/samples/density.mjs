// Kernel densities of two columns, with the distribution function of one.
import { linspace, normal_from, rounded, uniform_from } from "../random.mjs";
import { cost, histogram, provenance } from "./parts.mjs";

/** The mean of normal kernels. @param {number[]} rows @param {number} width @param {number} x */
function kernel_mean(rows, width, x) {
  return rounded(rows.reduce((sum, row) => sum + Math.exp(-0.5 * ((x - row) / width) ** 2), 0) / (rows.length * width * Math.sqrt(2 * Math.PI)));
}

/** @param {string} column @param {number[]} rows @param {number} width @returns {import("../../src/report").DensityCurve} */
function curve(column, rows, width) {
  const [low, high] = [Math.min(...rows), Math.max(...rows)];
  const x = linspace(low - 3 * width, high + 3 * width, 200);
  const edges = linspace(low, high, 13);
  const step = (high - low) / 12;
  return { column, x, density: x.map((value) => kernel_mean(rows, width, value)), edges, heights: histogram(rows, edges).map((count) => rounded(count / (rows.length * step))), rug: rows };
}

/** @param {1 | 2} columns @returns {import("../../src/report").Report} */
export function density_report(columns = 2) {
  const normal = normal_from(uniform_from(31));
  const rows = Array.from({ length: 240 }, (_, i) => (i % 3 === 0 ? [54 + 6 * normal(), 4.4 + 0.35 * normal()] : [81 + 6 * normal(), 2 + 0.3 * normal()]).map(rounded));
  const [waiting, duration] = [rows.map(([a = 0]) => a), rows.map(([, b = 0]) => b)];
  const value_at = (/** @type {number} */ x, /** @type {number} */ y) =>
    rounded(rows.reduce((sum, [a = 0, b = 0]) => sum + Math.exp(-0.5 * (((x - a) / 4) ** 2 + ((y - b) / 0.25) ** 2)), 0) / (rows.length * 2 * Math.PI));
  const logs = rows.map(([a = 0, b = 0]) => rounded(Math.log(columns === 2 ? value_at(a, b) : kernel_mean(waiting, 4, a))));
  const sorted = [...logs].sort((a, b) => b - a);
  const [x, y] = [linspace(28, 112, 60), linspace(0.4, 6, 50)];
  const edges = linspace(sorted[sorted.length - 1] ?? -9, sorted[0] ?? 0, 31);
  const mean = rounded(logs.reduce((sum, value) => sum + value, 0) / logs.length);
  const first = curve("waiting", waiting, 4);
  const cumulative = first.density.map((_, k) => rounded(first.density.slice(0, k + 1).reduce((/** @type {number} */ sum, value) => sum + (value ?? 0), 0) * ((first.x[1] ?? 0) - (first.x[0] ?? 0))));
  return {
    title: "kde on geyser.csv",
    model: {
      name: "kde", task: "density", summary: "A kernel density estimate.", kernel: "", kernel_facts: [],
      options: [{ name: "bandwidth", value: "silverman", meaning: "A rule or a number.", is_default: true }],
      scaling: "none", outputs: ["log_density"], solution: [{ name: "bandwidth of column 0", value: 4, meaning: "How far a row is spread out." }],
    },
    data: { file: "geyser.csv", rows: rows.length, columns, part: "training", hash: "12", names: ["waiting", "duration"].slice(0, columns) },
    warnings: [],
    metrics: [{ name: "mean log-density", value: mean, lower: mean - 0.06, upper: mean + 0.06, baseline: mean - 0.5, better: "higher", meaning: "Mean of ln p over the rows." }],
    baselines: [{ name: "normal distribution", metric: "mean log-density", value: mean - 0.5, meaning: "One normal distribution." }],
    density: {
      how: columns === 2 ? "Marginal densities: of each column alone, whatever the others are." : "",
      curves: columns === 2 ? [first, curve("duration", duration, 0.25)] : [{ ...first, cumulative }],
      rows: { edges, counts: histogram(logs, edges), zero: 0, infinite: 0 },
    },
    ...(columns === 2 ? {
      regions: {
        axes: ["waiting", "duration"], how: "The plane of the two input columns.", x, y, value: y.map((b) => x.map((a) => value_at(a, b))), label: [],
        points: { x: waiting, y: duration, value: logs },
        levels: [0.25, 0.5, 0.75, 0.95].map((share) => ({ share, level: rounded(Math.exp(sorted[Math.ceil(share * sorted.length) - 1] ?? 0)) })),
      },
    } : {}),
    cost: cost([0.001, 0, 0.0003, 0.002, 0.001, 0.02]),
    provenance: provenance("", "mercer fit kde geyser.csv --report report.html"),
  };
}
