// Two classes in a plane, with every section that classification has.
import { linspace, normal_from, rounded, uniform_from } from "../random.mjs";
import { calibration, cost, error_reject, falling_spectrum, histogram, provenance, ranking, rbf_gram } from "./parts.mjs";

/** A smooth decision value about two moons. @param {number} x @param {number} y */
function decision(x, y) {
  const upper = Math.abs(Math.hypot(x, y) - 1) + Math.max(0, -y) * 1.2;
  const lower = Math.abs(Math.hypot(x - 1, y - 0.5) - 1) + Math.max(0, y - 0.5) * 1.2;
  return 2.4 * Math.tanh(1.5 * (upper - lower));
}

/** @param {number} [rows] @returns {import("../../src/report").Report} */
export function binary_report(rows = 300) {
  const uniform = uniform_from(3);
  const normal = normal_from(uniform);
  const truth = Array.from({ length: rows }, (_, i) => i % 2);
  const points = truth.map((label) => {
    const angle = Math.PI * uniform();
    const [x, y] = label === 0 ? [Math.cos(angle), Math.sin(angle)] : [1 - Math.cos(angle), 0.5 - Math.sin(angle)];
    return [rounded(x + 0.27 * normal()), rounded(y + 0.27 * normal())];
  });
  const values = points.map(([x = 0, y = 0]) => rounded(decision(x, y)));
  const positive = truth.map((label) => label === 1);
  const counts = [[0, 0], [0, 0]];
  truth.forEach((label, i) => {
    const row = counts[label];
    const taken = (values[i] ?? 0) > 0 ? 1 : 0;
    if (row) row[taken] = (row[taken] ?? 0) + 1;
  });
  const right = ((counts[0]?.[0] ?? 0) + (counts[1]?.[1] ?? 0)) / rows;
  const probabilities = values.map((value) => 1 / (1 + Math.exp(-1.7 * value)));
  const area = ranking(values, positive).roc.auc ?? 0;
  const edges = linspace(-2.5, 2.5, 41);
  const x = linspace(-1.7, 2.7, 60);
  const y = linspace(-1.3, 1.8, 50);
  const grid = y.map((b) => x.map((a) => rounded(decision(a, b))));
  const costs = Array.from({ length: 11 }, (_, i) => 2 ** (2 * i - 5));
  const gammas = Array.from({ length: 10 }, (_, i) => rounded(2 ** (2 * i - 15)));
  const surface = gammas.map((gamma) => costs.map((C) => {
    const bend = Math.log2(gamma) + 0.55 * Math.log2(C) - 1;
    return rounded(0.962 - 0.0065 * Math.min(bend * bend, 60) * (bend > 0 ? 0.35 : 1) + 0.002 * normal());
  }));
  const error = surface.map((row) => row.map(() => rounded(0.006 + 0.003 * uniform())));
  const tried = gammas.flatMap((gamma, i) => costs.map((C, j) => ({ parameters: { C, gamma }, mean: surface[i]?.[j] ?? null, error: error[i]?.[j] ?? null })));
  const best = tried.reduce((top, point, i) => ((point.mean ?? 0) > (tried[top]?.mean ?? 0) ? i : top), 0);
  const within = (tried[best]?.mean ?? 0) - (tried[best]?.error ?? 0);
  const simple = tried.map((_, i) => i).filter((i) => (tried[i]?.mean ?? 0) >= within).sort((a, b) => (tried[a]?.parameters.C ?? 0) - (tried[b]?.parameters.C ?? 0));
  const chosen = simple[0] ?? best;
  const first = points.map((_, i) => i).filter((i) => i < 90).sort((a, b) => (truth[a] ?? 0) - (truth[b] ?? 0));
  const sizes = [20, 40, 80, 160, 320, 640, 1200];
  return {
    title: "svc on moons.csv",
    model: {
      name: "svc", task: "classification", summary: "A support vector machine that tells upper from lower, tuned over C and gamma by 5-fold cross-validation.",
      kernel: "rbf(gamma=2)", requested_kernel: "rbf(gamma=2^-15..2^3)", kernel_facts: [{ name: "gamma", value: "2", meaning: "Inverse squared width: the model can bend over a distance of 0.5." }],
      options: [
        { name: "C", value: "2", meaning: "Bound of a coefficient.", is_default: false },
        { name: "tolerance", value: "0.001", meaning: "Largest violation of the optimality conditions at which the solver stops.", is_default: true },
      ],
      scaling: "standard", classes: ["upper", "lower"], outputs: ["moon"],
      solution: [
        { name: "support vectors", value: 118, meaning: "Rows that the model keeps." }, { name: "bound", value: 97, meaning: "Of these at C." },
        { name: "gap", value: 8.4e-4, meaning: "Largest violation of the optimality conditions." }, { name: "radius/margin", value: null, meaning: "Not computed with bound vectors." },
      ],
    },
    data: { file: "moons-test.csv", rows, columns: 2, part: "test", hash: "b2", train_rows: 1200, names: ["x1", "x2"] },
    warnings: [
      "The best gamma lies at the edge of its range; a wider range may do better.",
      "12 rows occur more than once with different labels.",
    ],
    metrics: [
      { name: "accuracy", value: rounded(right), lower: rounded(right - 0.024), upper: rounded(right + 0.019), baseline: 0.5, better: "higher", meaning: "Share of rows whose class is right." },
      { name: "AUC", value: rounded(area), lower: rounded(area - 0.012), upper: rounded(area + 0.009), baseline: 0.5, better: "higher", meaning: "Area under ROC." },
      { name: "log-loss", value: 0.148, lower: 0.11, upper: 0.19, baseline: 0.6931, better: "lower", meaning: "Mean of \u2212log of the probability given to the true class." },
    ],
    baselines: [
      { name: "majority", metric: "accuracy", value: 0.5, meaning: "Always the most frequent class of the training data." },
      { name: "linear model", metric: "accuracy", value: 0.863, meaning: "The same model with a linear kernel." },
    ],
    classification: {
      confusion: { classes: ["upper", "lower"], counts },
      curves: [{ class: "lower", ...ranking(values, positive) }],
      calibration: [{ class: "lower", ...calibration(probabilities, positive) }],
      margins: { edges, classes: ["upper", "lower"], counts: [0, 1].map((label) => histogram(values.filter((_, i) => truth[i] === label).map((value) => (label === 1 ? value : -value)), edges)) },
      error_reject: error_reject(values.map(Math.abs), values.map((value, i) => (value > 0) !== (truth[i] === 1))),
    },
    regions: {
      axes: ["x1", "x2"], how: "Both input columns are drawn.", x, y, value: grid, label: grid.map((row) => row.map((value) => (value > 0 ? 1 : 0))), classes: ["upper", "lower"],
      points: {
        x: points.map(([a = 0]) => a), y: points.map(([, b = 0]) => b), class: truth, value: values,
        support: values.map((value, i) => { const margin = value * (truth[i] === 1 ? 1 : -1); return margin < 0.9 ? 2 : margin < 1.15 ? 1 : 0; }),
      },
      ...(rows >= 10000 ? { thinned: { shown: rows, of: 4 * rows } } : {}),
    },
    gram: {
      size: first.length, values: rbf_gram(first.map((i) => points[i] ?? []), 2), order: "by class", groups: [{ name: "upper", begin: 0, end: 45 }, { name: "lower", begin: 45, end: first.length }],
      spectrum: falling_spectrum(90, 0.22), condition: 3.2e10, effective_rank: 11.6, thinned: { shown: 90, of: 1200 },
    },
    tuning: { metric: "accuracy", better: "higher", x: { name: "C", values: costs, log: true }, y: { name: "gamma", values: gammas, log: true }, mean: surface, error, points: tried, best, chosen },
    learning: {
      metric: "accuracy", rows: sizes, train: sizes.map((n) => rounded(0.962 + 0.6 / n)), validation: sizes.map((n) => rounded(0.957 - 1.5 / n)),
      validation_error: sizes.map((n) => rounded(0.12 / Math.sqrt(n))),
    },
    influence: { how: "Influence is the change of the decision values when the row is left out.", points: [
      { row: 17, label: "upper", predicted: "lower", influence: 0.82, note: "at its bound, on the wrong side" },
      { row: 204, label: "lower", predicted: "lower", influence: 0.31, note: "" },
      { row: 96, label: "upper", predicted: "upper", influence: 0.28, note: "" },
    ] },
    relevance: { how: "Relevance is the inverse of the length scale, in scaled units.", columns: [{ name: "x2", relevance: 1.9, lengthscale: 0.526 }, { name: "x1", relevance: 1.1, lengthscale: 0.909 }] },
    cost: cost([0.008, 0.0004, 0.02, 1.41, 0.006, 0.03]),
    provenance: provenance("svc rbf(gamma=2^-15..2^3) C=2^-5..2^15", "mercer tune svc moons.csv --target moon --report report.html"),
  };
}
