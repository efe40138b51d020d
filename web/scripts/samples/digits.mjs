// Ten classes: a support vector machine that reads digits.
import { linspace, normal_from, rounded, uniform_from } from "../random.mjs";
import { calibration, cost, falling_spectrum, histogram, provenance, ranking } from "./parts.mjs";

/** @returns {import("../../src/report").Report} */
export function digits_report() {
  const normal = normal_from(uniform_from(11));
  const classes = Array.from({ length: 10 }, (_, i) => String(i));
  const rows = 360;
  const truth = Array.from({ length: rows }, (_, i) => i % 10);
  const alike = [[8, 1], [9, 4], [3, 5], [7, 9]];
  const scores = truth.map((label) => classes.map((_, c) => {
    const near = alike.some(([a, b]) => (a === label && b === c) || (b === label && a === c));
    return (c === label ? 2.2 : near ? -0.1 : -1) + 0.95 * normal();
  }));
  const largest = (/** @type {number[]} */ row) => row.indexOf(Math.max(...row));
  const counts = classes.map(() => classes.map(() => 0));
  truth.forEach((label, i) => {
    const row = counts[label];
    const taken = largest(scores[i] ?? []);
    if (row) row[taken] = (row[taken] ?? 0) + 1;
  });
  const right = truth.filter((label, i) => largest(scores[i] ?? []) === label).length / rows;
  const shares = scores.map((row) => {
    const sum = row.reduce((total, score) => total + Math.exp(1.4 * score), 0);
    return row.map((score) => Math.exp(1.4 * score) / sum);
  });
  const margin = truth.map((label, i) => (scores[i]?.[label] ?? 0) - Math.max(...(scores[i] ?? []).filter((_, c) => c !== label)));
  const edges = linspace(-3, 7, 31);
  const size = 80;
  const values = Array.from({ length: size }, (_, i) => Array.from({ length: size }, (_, j) => {
    const [a, b] = [Math.floor(i / 8), Math.floor(j / 8)];
    const near = alike.some(([p, q]) => (p === a && q === b) || (q === a && p === b));
    return i === j ? 1 : rounded((a === b ? 0.52 : near ? 0.3 : 0.13) + 0.05 * Math.cos(i * 12.9898 + j * 12.9898) + 0.02 * Math.sin((i - j) * (i - j)));
  }));
  return {
    title: "svc on digits.csv",
    model: {
      name: "svc", task: "classification", summary: "A support vector machine that tells 10 classes apart, one against one, with a Gaussian kernel on 64 columns.",
      kernel: "rbf(gamma=0.0209)", requested_kernel: "rbf(gamma=scale)",
      kernel_facts: [{ name: "gamma", value: "0.0209", meaning: "Inverse squared width: rows further apart than 4.9 (in scaled units) hardly know of each other." }],
      options: [
        { name: "tolerance", value: "0.001", meaning: "Largest violation of the optimality conditions at which the solver stops.", is_default: true },
        { name: "C", value: "10", meaning: "Bound of a coefficient: the larger, the more the model follows single rows.", is_default: false },
        { name: "probability", value: "true", meaning: "Fits a map from decision values to probabilities.", is_default: false },
        { name: "class_weight", value: "none", meaning: "Factors of C by class.", is_default: true },
      ],
      scaling: "standard: every column to mean 0 and deviation 1", classes, outputs: ["label"],
      solution: [
        { name: "support vectors", value: 714, meaning: "Rows that the model keeps, of 1437: fewer is quicker and often better." },
        { name: "free", value: 688, meaning: "Support vectors strictly inside their bounds; they lie on the margin." },
        { name: "bound", value: 26, meaning: "Support vectors at C: rows inside the margin or on the wrong side." },
        { name: "gap", value: 9.7e-4, meaning: "Largest violation of the optimality conditions over all pairs of classes." },
        { name: "stopped", value: "converged", meaning: "Why the solver ended." },
      ],
    },
    data: { file: "digits-test.csv", rows, columns: 64, part: "test", hash: "5f1d7a84db38e5a2", train_rows: 1437 },
    warnings: ["3 rows of the test data also occur in the training data."],
    metrics: [
      { name: "accuracy", value: rounded(right), lower: rounded(right - 0.016), upper: rounded(right + 0.012), baseline: 0.1, better: "higher", meaning: "Share of rows whose class is right." },
      { name: "balanced accuracy", value: rounded(right - 0.001), lower: rounded(right - 0.018), upper: rounded(right + 0.013), baseline: 0.1, better: "higher", meaning: "Mean over classes of the share that is right." },
      { name: "AUC", value: 0.9971, lower: 0.9948, upper: 0.9989, baseline: 0.5, better: "higher", meaning: "Mean over pairs of classes of the area under ROC." },
      { name: "log-loss", value: 0.131, lower: 0.098, upper: 0.169, baseline: 2.3026, better: "lower", meaning: "Mean of \u2212log of the probability given to the true class." },
      { name: "Brier", value: 0.064, lower: 0.048, upper: 0.083, baseline: 0.9, better: "lower", meaning: "Mean squared distance between probabilities and what happened." },
    ],
    baselines: [
      { name: "majority", metric: "accuracy", value: 0.1, meaning: "Always the most frequent class of the training data." },
      { name: "linear model", metric: "accuracy", value: 0.872, meaning: "The same model with a linear kernel." },
      { name: "majority", metric: "log-loss", value: 2.3026, meaning: "Always the most frequent class of the training data." },
      { name: "linear model", metric: "log-loss", value: 0.352, meaning: "The same model with a linear kernel." },
    ],
    classification: {
      confusion: { classes, counts },
      curves: classes.map((name, c) => ({ class: name, ...ranking(scores.map((row) => row[c] ?? 0), truth.map((label) => label === c)) })),
      calibration: classes.map((name, c) => ({ class: name, ...calibration(shares.map((row) => row[c] ?? 0), truth.map((label) => label === c)) })),
      margins: { edges, classes, counts: classes.map((_, c) => histogram(margin.filter((_, i) => truth[i] === c), edges)) },
    },
    gram: {
      size, values, order: "by class, within a class as in the file", groups: classes.map((name, i) => ({ name, begin: 8 * i, end: 8 * (i + 1) })),
      spectrum: falling_spectrum(80, 0.09), condition: 4.1e4, effective_rank: 18.4, thinned: { shown: 80, of: 1437 },
    },
    influence: {
      how: "Influence is the coefficient times the kernel's own value.",
      points: Array.from({ length: 8 }, (_, i) => ({
        row: 37 + 101 * i, label: String((8 + i) % 10), predicted: String(i % 3 === 0 ? (1 + i) % 10 : (8 + i) % 10), influence: rounded(10 * Math.exp(-i / 6)), note: i % 3 === 0 ? "at its bound, on the wrong side" : "",
      })),
    },
    cost: cost([0.021, 0.001, 0.034, 0.112, 0.018, 0.046]),
    provenance: provenance("svc rbf(gamma=scale) C=10 probability=true", "mercer fit svc digits.csv --target label --kernel 'rbf(gamma=scale)' --set C=10 --report report.html"),
  };
}
