// Parts that several sample reports share.
import { rounded } from "../random.mjs";

/** @typedef {import("../../src/report").Report} Report */

/** @param {string} spec @param {string} command @returns {Report["provenance"]} */
export function provenance(spec, command) {
  return {
    spec, command, seed: 7, version: "0.1.0", created: "2026-01-15T12:00:00Z",
    data_hash: "5f1d7a84db38e5a2c9be1c0f6c3d8a27", model_hash: "c0ffee1234567890c0ffee1234567890",
  };
}

/** @param {number[]} seconds of reading, fitting, predicting @returns {Report["cost"]} */
export function cost(seconds) {
  const names = ["reading", "scaling", "kernel", "solving", "predicting", "report"];
  const phases = seconds.map((value, i) => ({ name: names[i] ?? "other", seconds: value }));
  return { phases, seconds: rounded(seconds.reduce((a, b) => a + b, 0)), peak_memory_mb: 84.2, model_bytes: 183204 };
}

/** ROC and precision-recall from scores and truths.
 * @param {number[]} scores @param {boolean[]} positive
 * @returns {{roc: import("../../src/report").Roc, pr: import("../../src/report").PrecisionRecall}} */
export function ranking(scores, positive) {
  const order = scores.map((_, i) => i).sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
  const positives = positive.filter(Boolean).length;
  const negatives = positive.length - positives;
  const [fpr, tpr, recall, precision] = [[0], [0], /** @type {number[]} */ ([]), /** @type {number[]} */ ([])];
  let [hits, alarms, area, average] = [0, 0, 0, 0];
  order.forEach((index, rank) => {
    if (positive[index]) {
      ++hits;
      average += hits / (rank + 1) / positives;
    } else {
      ++alarms;
      area += hits / (positives * negatives);
    }
    const next = order[rank + 1];
    const turns = next === undefined || positive[next] !== positive[index];
    if (!turns && rank % 12 !== 0) return;
    fpr.push(rounded(alarms / negatives));
    tpr.push(rounded(hits / positives));
    recall.push(rounded(hits / positives));
    precision.push(rounded(hits / (rank + 1)));
  });
  return { roc: { fpr, tpr, auc: rounded(area) }, pr: { recall, precision, average: rounded(average) } };
}

/** @param {number[]} probabilities @param {boolean[]} positive @returns {Omit<import("../../src/report").Calibration, "class">} */
export function calibration(probabilities, positive) {
  const bins = Array.from({ length: 10 }, () => ({ sum: 0, hits: 0, count: 0 }));
  probabilities.forEach((probability, i) => {
    const bin = bins[Math.min(9, Math.floor(10 * probability))];
    if (!bin) return;
    bin.sum += probability;
    bin.hits += positive[i] ? 1 : 0;
    bin.count += 1;
  });
  const share = (/** @type {number} */ a, /** @type {number} */ b) => (b > 0 ? rounded(a / b) : null);
  return { predicted: bins.map((bin) => share(bin.sum, bin.count)), observed: bins.map((bin) => share(bin.hits, bin.count)), count: bins.map((bin) => bin.count) };
}

/** The error of the rest by the share declined, least sure first. @param {number[]} confidence @param {boolean[]} wrong */
export function error_reject(confidence, wrong) {
  const order = confidence.map((_, i) => i).sort((a, b) => (confidence[a] ?? 0) - (confidence[b] ?? 0));
  let errors = wrong.filter(Boolean).length;
  /** @type {{rejected: number[], error: number[], confidence: number[]}} */
  const curve = { rejected: [], error: [], confidence: [] };
  order.forEach((row, declined) => {
    if (declined % Math.ceil(order.length / 200) === 0) {
      curve.rejected.push(rounded(declined / order.length));
      curve.error.push(rounded(errors / (order.length - declined)));
      curve.confidence.push(rounded(confidence[row] ?? 0));
    }
    errors -= wrong[row] ? 1 : 0;
  });
  return curve;
}

/** @param {number[][]} points @param {number} gamma @returns {number[][]} */
export function rbf_gram(points, gamma) {
  const kernel = (/** @type {number[]} */ a, /** @type {number[]} */ b) => Math.exp(-gamma * a.reduce((sum, value, i) => sum + (value - (b[i] ?? 0)) ** 2, 0));
  return points.map((a) => points.map((b) => Number(kernel(a, b).toFixed(4))));
}

/** A spectrum that falls like a smooth kernel's. @param {number} size @param {number} rate */
export function falling_spectrum(size, rate) {
  return Array.from({ length: size }, (_, i) => rounded(Math.max(size * 0.4 * Math.exp(-rate * i), 1e-9 * (size - i) - 2e-9)));
}

/** @param {number[]} values @param {number[]} edges */
export function histogram(values, edges) {
  const counts = Array.from({ length: edges.length - 1 }, () => 0);
  for (const value of values) {
    const bin = edges.findIndex((edge, i) => value >= edge && value < (edges[i + 1] ?? Infinity));
    const at = Math.min(counts.length - 1, Math.max(0, bin));
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts;
}
