// Support vector regression over one column with a tube that widens along it.
import { linspace, normal_from, rounded, uniform_from } from "../random.mjs";
import { cost, provenance } from "./parts.mjs";

/** @returns {import("../../src/report").Report} */
export function tube_report(rows = 300) {
  const uniform = uniform_from(17);
  const normal = normal_from(uniform);
  const centre = (/** @type {number} */ t) => rounded(Math.sin(2 * t));
  const width = (/** @type {number} */ t) => Math.max(0, 0.12 + 0.34 * t);
  const data_x = Array.from({ length: rows }, () => rounded(3 * uniform()));
  const data_y = data_x.map((t) => rounded(centre(t) + 0.7 * width(t) * normal()));
  const x = linspace(-0.15, 3.15, 201);
  const outside = data_x.filter((t, i) => Math.abs((data_y[i] ?? 0) - centre(t)) > width(t)).length;
  return {
    title: "nusvr on cone.csv",
    model: {
      name: "nusvr", task: "regression", summary: "Support vector regression of y on x with a tube of a shape.",
      kernel: "rbf(gamma=1)", requested_kernel: "rbf(gamma=scale)", kernel_facts: [],
      options: [{ name: "tube", value: "constant + linear[x]", meaning: "Shape of the tube.", is_default: false }],
      scaling: "none", outputs: ["y"],
      solution: [{ name: "support vectors", value: outside + 6, meaning: "Rows on the edge of the tube or outside." }],
    },
    data: { file: "cone.csv", rows, columns: 1, part: "training", hash: "77c1", names: ["x"] },
    metrics: [{ name: "rmse", value: 0.44, lower: 0.4, upper: 0.48, baseline: 0.8, better: "lower", meaning: "Root of the mean squared error." }],
    baselines: [],
    regression: {
      outputs: [{ name: "y", truth: data_y, predicted: data_x.map(centre) }],
      curve: {
        column: "x", x, mean: x.map(centre), tube_lower: x.map((t) => rounded(centre(t) - width(t))),
        tube_upper: x.map((t) => rounded(centre(t) + width(t))), data_x, data_y,
      },
    },
    cost: cost([0.002, 0.0003, 0.0011, 0.084, 0.0009, 0.012]),
    provenance: provenance("nusvr rbf(gamma=scale)", "mercer fit nusvr cone.csv --target y --report report.html"),
  };
}
