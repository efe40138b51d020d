// A one-class model over two columns.
import { linspace, normal_from, rounded, uniform_from } from "../random.mjs";
import { cost, histogram, provenance, ranking } from "./parts.mjs";

/** @returns {import("../../src/report").Report} */
export function novelty_report() {
  const uniform = uniform_from(23);
  const normal = normal_from(uniform);
  const centres = [[-1.6, -0.6], [1.4, 0.9]];
  const usual = Array.from({ length: 380 }, (_, i) => (centres[i % 2] ?? []).map((centre) => rounded(centre + 0.6 * normal())));
  const odd = Array.from({ length: 40 }, () => [rounded(9 * uniform() - 4.5), rounded(7 * uniform() - 3.5)]);
  const points = [...usual, ...odd];
  const value_at = (/** @type {number} */ x, /** @type {number} */ y) =>
    rounded(centres.reduce((sum, [a = 0, b = 0]) => sum + Math.exp(-0.55 * ((x - a) ** 2 + (y - b) ** 2)), 0) - 0.3);
  const scores = points.map(([x = 0, y = 0]) => value_at(x, y));
  const edges = linspace(-0.3, 0.75, 36);
  const x = linspace(-4.6, 4.6, 60);
  const y = linspace(-3.6, 3.6, 50);
  const flagged = scores.filter((score) => score < 0).length;
  return {
    title: "oneclass on visits.csv",
    model: {
      name: "oneclass", task: "novelty", summary: "A one-class support vector machine that learns where rows usually lie.", kernel: "rbf(gamma=0.55)", requested_kernel: "rbf(gamma=median)",
      kernel_facts: [{ name: "gamma", value: "0.55", meaning: "Inverse squared width." }],
      options: [{ name: "nu", value: "0.05", meaning: "Bound on the share of training rows that are flagged.", is_default: true }],
      scaling: "standard", outputs: [], solution: [{ name: "support vectors", value: 25, meaning: "Rows that the model keeps." }, { name: "rho", value: 0.3, meaning: "The threshold on the kernel sum." }],
    },
    data: { file: "visits-labelled.csv", rows: points.length, columns: 2, part: "test", hash: "77", train_rows: 900, names: ["pages", "minutes"] },
    warnings: [],
    metrics: [
      { name: "fraction flagged", value: rounded(flagged / points.length), lower: 0.08, upper: 0.15, baseline: 0.05, better: "closer", meaning: "Share of rows beyond the threshold; nu was 0.05." },
      { name: "AUC", value: ranking(scores.map((s) => -s), points.map((_, i) => i >= 380)).roc.auc, lower: 0.82, upper: 0.94, baseline: 0.5, better: "higher", meaning: "Area under ROC by the labels." },
    ],
    baselines: [],
    novelty: {
      scores: { edges, counts: histogram(scores, edges) }, threshold: 0, flagged, total: points.length,
      roc: ranking(scores.map((score) => -score), points.map((_, i) => i >= 380)).roc,
    },
    regions: {
      axes: ["pages", "minutes"], how: "Both input columns are drawn.", x, y, value: y.map((b) => x.map((a) => value_at(a, b))), label: [],
      points: { x: points.map(([a = 0]) => a), y: points.map(([, b = 0]) => b), class: points.map((_, i) => (i < 380 ? 1 : 0)), value: scores, support: scores.map((score) => (Math.abs(score) < 0.02 ? 1 : score < -0.02 ? 2 : 0)) },
    },
    cost: cost([0.004, 0.0002, 0.003, 0.006, 0.002, 0.02]),
    provenance: provenance("oneclass rbf(gamma=median) nu=0.05", "mercer fit oneclass visits.csv --report report.html"),
  };
}
