// A Gaussian process over one column: the acceleration of a helmet after an impact, in its shape.
import { linspace, normal_from, rounded, uniform_from } from "../random.mjs";
import { cost, falling_spectrum, provenance, rbf_gram } from "./parts.mjs";

/** @param {number} t milliseconds */
function acceleration(t) {
  return -115 * Math.exp(-(((t - 21) / 5.2) ** 2)) + 52 * Math.exp(-(((t - 33) / 5) ** 2)) - 8 * Math.exp(-(((t - 45) / 6) ** 2));
}

/** @param {number} [rows] @returns {import("../../src/report").Report} */
export function motorcycle_report(rows = 133) {
  const uniform = uniform_from(5);
  const normal = normal_from(uniform);
  const noise = (/** @type {number} */ t) => (t < 14 ? 3 : 21);
  const data_x = Array.from({ length: rows }, () => rounded(2.4 + 55 * uniform() ** 1.2)).sort((a, b) => a - b);
  const data_y = data_x.map((t) => rounded(acceleration(t) + noise(t) * normal()));
  const x = linspace(0, 62, 201);
  const mean = x.map((t) => rounded(0.97 * acceleration(t)));
  const half = (/** @type {number} */ t) => 1.96 * Math.sqrt(21 ** 2 * 0.8 + (t > 57 ? 9 * (t - 57) ** 2 : 0) + (t < 3 ? 30 * (3 - t) ** 2 : 0));
  const predicted = data_x.map((t) => rounded(0.97 * acceleration(t)));
  const residual = data_y.map((value, i) => value - (predicted[i] ?? 0));
  const rmse = Math.sqrt(residual.reduce((sum, r) => sum + r * r, 0) / rows);
  const nominal = [0.1, 0.25, 0.5, 0.75, 0.9, 0.95];
  const z = [0.1257, 0.3186, 0.6745, 1.1503, 1.6449, 1.96];
  const observed = z.map((factor) => rounded(residual.filter((r, i) => Math.abs(r) <= (factor / 1.96) * half(data_x[i] ?? 0)).length / rows));
  const every = Math.max(1, Math.floor(rows / 60));
  const gram_points = data_x.filter((_, i) => i % every === 0).slice(0, 60).map((t) => [t]);
  return {
    title: "gp on motorcycle.csv",
    model: {
      name: "gp", task: "regression", summary: "A Gaussian process regression of accel on times, its kernel and noise learnt by the marginal likelihood.",
      kernel: "2210*matern(nu=2.5, lengthscale=9.4)", requested_kernel: "1*matern(nu=2.5, lengthscale=median)",
      kernel_facts: [
        { name: "scale", value: "2210", meaning: "Variance of the function: it strays about 47 from its mean." },
        { name: "nu", value: "2.5", meaning: "Smoothness: the function has two derivatives." },
        { name: "lengthscale", value: "9.4", meaning: "Distance over which the function changes, in milliseconds." },
      ],
      options: [
        { name: "noise", value: "398.2", meaning: "Variance of an observation about the function.", is_default: false },
        { name: "mean", value: "constant", meaning: "What the function returns to far from data.", is_default: true },
        { name: "restarts", value: "3", meaning: "Starts of the search for kernel parameters.", is_default: true },
      ],
      scaling: "standard", outputs: ["accel"],
      solution: [
        { name: "log marginal likelihood", value: -611.48, meaning: "Evidence for the kernel with these parameters; compare kernels by it." },
        { name: "jitter", value: 0, meaning: "What had to be added to the diagonal to factorise the matrix." },
        { name: "condition number", value: 412.8, meaning: "How much rounding is magnified; trouble begins about 1e12." },
      ],
    },
    data: { file: "motorcycle.csv", rows, columns: 1, part: "training", hash: "a9b1", names: ["times"] },
    warnings: ["The noise grows with times (residuals after 14 are 7 times larger than before); one noise variance for all rows is too wide at the start and too narrow later."],
    metrics: [
      { name: "RMSE", value: rounded(rmse), lower: rounded(rmse * 0.9), upper: rounded(rmse * 1.12), baseline: 48.3, better: "lower", meaning: "Root of the mean squared residual, in units of accel." },
      { name: "R\u00b2", value: 0.799, lower: 0.748, upper: 0.842, baseline: 0, better: "higher", meaning: "Share of the variance that is explained." },
      { name: "NLPD", value: 4.51, lower: 4.39, upper: 4.64, baseline: 5.3, better: "lower", meaning: "Mean negative log predictive density." },
      { name: "coverage at 95 %", value: observed[5] ?? null, lower: 0.9, upper: 0.98, baseline: null, better: "closer", meaning: "Share of rows inside their 95 % interval." },
    ],
    baselines: [
      { name: "mean", metric: "RMSE", value: 48.3, meaning: "Always the mean of the training data." },
      { name: "linear model", metric: "RMSE", value: 46.1, meaning: "Ridge regression with a linear kernel." },
    ],
    regression: {
      outputs: [{ name: "accel", truth: data_y, predicted, lower: predicted.map((m, i) => rounded(m - half(data_x[i] ?? 0))), upper: predicted.map((m, i) => rounded(m + half(data_x[i] ?? 0))), level: 0.95 }],
      coverage: { nominal, observed },
      curve: { column: "times", x, mean, lower: mean.map((m, i) => rounded(m - half(x[i] ?? 0))), upper: mean.map((m, i) => rounded(m + half(x[i] ?? 0))), data_x, data_y },
      ...(rows >= 10000 ? { thinned: { shown: rows, of: 3 * rows } } : {}),
    },
    loss: huber_loss(30),
    gram: {
      size: gram_points.length, values: rbf_gram(gram_points, 0.006), order: "by the first column", groups: [{ name: "all", begin: 0, end: gram_points.length }],
      spectrum: falling_spectrum(gram_points.length, 0.55), condition: 412.8, effective_rank: 7.2,
    },
    cost: cost([0.002, 0.0003, 0.0011, 0.084, 0.0009, 0.012]),
    provenance: provenance("gp 1*matern(nu=2.5, lengthscale=median)", "mercer fit gp motorcycle.csv --target accel --report report.html"),
  };
}

// Huber's loss with the bend at sigma, as the program writes it.
/** @returns {import("../../src/report").Loss} */
function huber_loss(/** @type {number} */ sigma) {
  const x = linspace(-90, 90, 121);
  const loss = x.map((r) => rounded(Math.abs(r) <= sigma ? (r * r) / (2 * sigma) : Math.abs(r) - sigma / 2));
  const step = 180 / 120;
  const total = loss.reduce((sum, c) => sum + step * Math.exp(-c), 0);
  return {
    name: "huber", of: "residual", output: "accel", formula: "r^2/(2 sigma) up to |r| = sigma, then |r| - sigma/2",
    influence_formula: "r/sigma, at most 1 in size", density_formula: "exp(-c)/Z", note: "slope at most 1", x, loss,
    influence: x.map((r) => rounded(Math.max(-1, Math.min(1, r / sigma)))), density: loss.map((c) => rounded(Math.exp(-c) / total)),
  };
}
