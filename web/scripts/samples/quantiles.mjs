// Quantile regression over one column whose noise grows.
import { linspace, normal_from, rounded, uniform_from } from "../random.mjs";
import { cost, provenance } from "./parts.mjs";

const levels = [0.05, 0.25, 0.5, 0.75, 0.95];
const normal_quantiles = [-1.645, -0.674, 0, 0.674, 1.645];

/** @returns {import("../../src/report").Report} */
export function quantiles_report(rows = 300) {
  const uniform = uniform_from(7);
  const normal = normal_from(uniform);
  const centre = (/** @type {number} */ t) => Math.sin(2 * t);
  const noise = (/** @type {number} */ t) => 0.1 + 0.3 * t;
  const data_x = Array.from({ length: rows }, () => rounded(3 * uniform()));
  const data_y = data_x.map((t) => rounded(centre(t) + noise(t) * normal()));
  const at = (/** @type {number} */ t, /** @type {number} */ z) => rounded(centre(t) + 0.93 * z * noise(t));
  const x = linspace(-0.15, 3.15, 201);
  const predicted = data_x.map((t) => at(t, 0));
  return {
    title: "kqr on cone.csv",
    model: {
      name: "kqr", task: "regression", summary: "Quantile regression of y on x at five levels.",
      kernel: "rbf(gamma=1)", requested_kernel: "rbf(gamma=scale)", kernel_facts: [],
      options: [{ name: "quantiles", value: "0.05,0.25,0.5,0.75,0.95", meaning: "Levels between 0 and 1.", is_default: true }],
      scaling: "standard", outputs: ["y"],
      solution: [{ name: "support vectors", value: rows, meaning: "Rows that the functions stand on." }],
    },
    data: { file: "cone.csv", rows, columns: 1, part: "training", hash: "77c0", names: ["x"] },
    metrics: [{ name: "pinball", value: 0.142, lower: 0.13, upper: 0.154, baseline: 0.25, better: "lower", meaning: "Mean loss of the quantiles." }],
    baselines: [],
    regression: {
      outputs: [{ name: "y", truth: data_y, predicted, lower: data_x.map((t) => at(t, -1.96)), upper: data_x.map((t) => at(t, 1.96)), level: 0.95 }],
      below: { levels, observed: normal_quantiles.map((z) => rounded(data_x.filter((t, i) => (data_y[i] ?? 0) <= at(t, z)).length / rows)) },
      curve: { column: "x", x, mean: x.map((t) => at(t, 0)), levels, quantiles: normal_quantiles.map((z) => x.map((t) => at(t, z))), data_x, data_y },
    },
    cost: cost([0.002, 0.0003, 0.0011, 0.084, 0.0009, 0.012]),
    provenance: provenance("kqr rbf(gamma=scale)", "mercer fit kqr cone.csv --target y --report report.html"),
  };
}
