// What the others leave out: several outputs, a plane of predictions, a search without a grid, a signed Gram matrix,
// long names, missing numbers, and text that means something to a browser.
import { linspace, normal_from, rounded, uniform_from } from "../random.mjs";
import { falling_spectrum, provenance } from "./parts.mjs";

/** @returns {import("../../src/report").Report} */
export function several_report() {
  const uniform = uniform_from(41);
  const normal = normal_from(uniform);
  const rows = 240;
  const names = ["age", "a column with a name that is much too long for the margin of a chart", "<b>bold</b></script>", "bmi", "bp"];
  const output = (/** @type {string} */ name, /** @type {number} */ scale) => {
    const truth = Array.from({ length: rows }, () => rounded(scale * normal()));
    return { name, truth: truth.map((value, i) => (i === 5 ? null : value)), predicted: truth.map((value) => rounded(0.8 * value + 0.3 * scale * normal())) };
  };
  const x = linspace(-2, 2, 60);
  const y = linspace(-2, 2, 50);
  const size = 50;
  const tried = Array.from({ length: 40 }, (_, i) => {
    const lambda = rounded(10 ** (6 * uniform() - 4));
    const gamma = rounded(10 ** (3 * uniform() - 2));
    return { parameters: { lambda, gamma, kernel: i % 2 === 0 ? "rbf" : "laplace" }, mean: i === 3 ? null : rounded(0.4 + 0.05 * (Math.log10(lambda) + 1) ** 2 + 0.08 * (Math.log10(gamma) + 0.5) ** 2), error: rounded(0.02 + 0.01 * uniform()) };
  });
  const best = tried.reduce((top, point, i) => ((point.mean ?? Infinity) < (tried[top]?.mean ?? Infinity) ? i : top), 0);
  return {
    title: "ridge on two <outputs> & more.csv",
    model: {
      name: "ridge", task: "regression", summary: "Kernel ridge regression of two outputs.", kernel: "0.5*rbf(gamma=[0.1, 0.02, 0.4, 0.3, 0.05]) + linear()[bmi, bp]",
      kernel_facts: [{ name: "gamma", value: "[0.1, 0.02, \u2026]", meaning: "One inverse squared width for every column." }],
      options: [{ name: "lambda", value: "0.1", meaning: "Weight of the penalty.", is_default: false }], scaling: "standard", outputs: ["progression", "pressure"],
      solution: [{ name: "condition number", value: 1.2e7, meaning: "How much rounding is magnified." }],
    },
    data: { file: "two <outputs> & more.csv", rows, columns: 5, part: "test", hash: "0", names },
    warnings: [],
    metrics: [
      { name: "RMSE", value: 54.1, lower: 49.2, upper: 58.8, baseline: 55.4, better: "lower", meaning: "Root of the mean squared residual." },
      { name: "R\u00b2", value: -0.02, lower: -0.2, upper: 0.1, baseline: 0, better: "higher", meaning: "Share of the variance that is explained." },
      { name: "SMSE", value: null, lower: null, upper: null, baseline: null, better: "lower", meaning: "Mean squared error over the variance." },
    ],
    baselines: [],
    regression: { outputs: [output("progression", 70), output("pressure", 12)] },
    regions: {
      axes: ["first eigenvector", "second eigenvector"], how: "The plane of the two leading eigenvectors of the centred Gram matrix.", x, y,
      value: y.map((b) => x.map((a) => rounded(150 + 40 * Math.sin(1.3 * a) + 25 * b * b))),
      points: { x: Array.from({ length: rows }, () => rounded(0.8 * normal())), y: Array.from({ length: rows }, () => rounded(0.8 * normal())), value: Array.from({ length: rows }, () => rounded(150 + 40 * normal())) },
    },
    gram: {
      size, values: Array.from({ length: size }, (_, i) => Array.from({ length: size }, (_, j) => rounded(2 * Math.cos((i - j) / 9) * Math.exp(-Math.abs(i - j) / 40)))), order: "as in the file", groups: [],
      spectrum: falling_spectrum(size, 0.3), condition: null, effective_rank: null,
    },
    tuning: { metric: "RMSE", better: "lower", mean: [], error: [], points: tried, best, chosen: best },
    relevance: { how: "Relevance is the inverse of the length scale, in scaled units.", columns: names.map((name, i) => ({ name, relevance: rounded(2 / (i + 1)), lengthscale: rounded((i + 1) / 2) })) },
    cost: { phases: [], seconds: 3821.4, peak_memory_mb: null },
    provenance: provenance("ridge", "mercer fit ridge"),
  };
}
