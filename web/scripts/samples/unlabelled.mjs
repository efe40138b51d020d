// Features and clusters of the same three groups of rows.
import { linspace, normal_from, rounded, uniform_from } from "../random.mjs";
import { cost, provenance } from "./parts.mjs";

const centres = [[-2, -1], [1.5, -1.2], [0.2, 1.8]];
const groups = ["setosa", "versicolor", "<i>virginica</i>"];

function grouped_rows() {
  const normal = normal_from(uniform_from(41));
  return Array.from({ length: 150 }, (_, i) => ({ group: i % 3, point: (centres[i % 3] ?? []).map((centre) => rounded(centre + 0.55 * normal())) }));
}

/** @param {number[]} point @param {number} which */
function bump(point, which) {
  const [a = 0, b = 0] = centres[which] ?? [];
  return Math.exp(-0.3 * (((point[0] ?? 0) - a) ** 2 + ((point[1] ?? 0) - b) ** 2));
}

/** @returns {import("../../src/report").Report} */
export function features_report() {
  const rows = grouped_rows();
  const feature = (/** @type {number[]} */ point, /** @type {number} */ c) => rounded(bump(point, c) - bump(point, (c + 1) % 3));
  const [x, y] = [linspace(-4, 3.5, 40), linspace(-3, 3.8, 40)];
  const value = (/** @type {number} */ c) => y.map((b) => x.map((a) => feature([a, b], c)));
  const values = [0.31, 0.22, 0.08, 0.04, 0.02];
  return {
    title: "kpca on iris.csv",
    model: {
      name: "kpca", task: "features", summary: "Kernel PCA.", kernel: "rbf(gamma=0.3)", kernel_facts: [{ name: "gamma", value: "0.3", meaning: "Inverse squared width." }],
      options: [], scaling: "standard", outputs: values.map((_, c) => `component${c + 1}`), solution: [{ name: "explained variance ratio", value: 0.67, meaning: "Share of the variance." }],
    },
    data: { file: "iris.csv", rows: rows.length, columns: 2, part: "test", hash: "21", train_rows: 90, names: ["length", "width"] },
    features: {
      value_name: "variance", components: values.map((v, c) => ({ name: `component${c + 1}`, value: v, share: v })), target: "species", classes: groups,
      points: { x: rows.map((row) => feature(row.point, 0)), y: rows.map((row) => feature(row.point, 1)), class: rows.map((row) => row.group) },
      maps: {
        axes: ["length", "width"], x, y, values: [0, 1].map((c) => ({ name: `component${c + 1}`, value: value(c) })),
        points: { x: rows.map((row) => row.point[0] ?? 0), y: rows.map((row) => row.point[1] ?? 0), class: rows.map((row) => row.group) },
      },
    },
    cost: cost([0.001, 0.0001, 0.002, 0.004, 0.001, 0.02]),
    provenance: provenance("rbf(gamma=0.3)", "mercer fit kpca iris.csv --report report.html"),
  };
}

/** @returns {import("../../src/report").Report} */
export function clusters_report() {
  const rows = grouped_rows();
  const nearest = (/** @type {number[]} */ point) => [0, 1, 2].reduce((best, c) => (bump(point, c) > bump(point, best) ? c : best), 0);
  const cluster = rows.map((row) => nearest(row.point));
  const names = ["cluster 0", "cluster 1", "cluster 2"];
  const [x, y] = [linspace(-4, 3.5, 40), linspace(-3, 3.8, 40)];
  return {
    title: "kmeans on iris.csv",
    model: { name: "kmeans", task: "clustering", summary: "Kernel k-means.", kernel: "linear()", kernel_facts: [], options: [], scaling: "standard", outputs: ["cluster"], solution: [{ name: "inertia", value: 88.2, meaning: "Sum of squared distances." }] },
    data: { file: "iris.csv", rows: rows.length, columns: 2, part: "training", hash: "21", names: ["length", "width"] },
    clusters: {
      names, sizes: names.map((_, c) => cluster.filter((own) => own === c).length), spreads: [0.6, 0.59, 0.61],
      labels: { target: "species", names: groups, counts: names.map((_, c) => groups.map((_label, g) => rows.filter((row, i) => cluster[i] === c && row.group === g).length)) },
    },
    regions: {
      axes: ["length", "width"], how: "The plane of the two input columns.", x, y, value: [], label: y.map((b) => x.map((a) => nearest([a, b]))), classes: names,
      points: { x: rows.map((row) => row.point[0] ?? 0), y: rows.map((row) => row.point[1] ?? 0), class: cluster },
    },
    cost: cost([0.001, 0.0001, 0.001, 0.003, 0.001, 0.02]),
    provenance: provenance("linear()", "mercer fit kmeans iris.csv --report report.html"),
  };
}
