// The confusion matrix as a table of counts and shares of rows, and what follows for every class.
import { element } from "../dom";
import { count_text, fixed_text, percent_text, plural } from "../format";
import type { Confusion, Report } from "../report";
import type { Section } from "../section";
import { table_element } from "../table";

export function confusion_section(report: Report): Section | null {
  const confusion = report.classification?.confusion;
  if (!confusion || confusion.classes.length === 0) return null;
  return {
    id: "confusion",
    title: "Confusion matrix",
    group: "How well",
    lead: lead(confusion),
    body: () => [element("div", { class: "pair" }, matrix_element(confusion),
      element("div", {}, element("h3", {}, "Class by class"), table_element(by_class(confusion), "Precision and recall by class")))],
  };
}

const count_at = (confusion: Confusion, row: number, column: number) => confusion.counts[row]?.[column] ?? 0;
const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

function lead({ classes, counts }: Confusion): string {
  const total = sum(counts.map(sum));
  const right = sum(counts.map((row, i) => row[i] ?? 0));
  let worst = { count: 0, truth: 0, taken: 0 };
  counts.forEach((row, truth) => row.forEach((count, taken) => {
    if (truth !== taken && count > worst.count) worst = { count, truth, taken };
  }));
  const mistake = worst.count === 0 ? "No row was taken for another class."
    : `The most frequent mistake is ${classes[worst.truth]} taken for ${classes[worst.taken]} (${plural(worst.count, "row")}).`;
  return `${count_text(right)} of ${count_text(total)} rows (${percent_text(right / total)}) lie on the diagonal, where the prediction is right. ` +
    `Rows are the true classes, columns what was predicted; the colour is the share of the row. ${mistake}`;
}

function matrix_element(confusion: Confusion): HTMLElement {
  const { classes } = confusion;
  const with_shares = classes.length <= 15;
  const head = element("tr", {}, element("th", { class: "axis", scope: "col" }, "true ↓  predicted →"),
    ...classes.map((name) => element("th", { scope: "col", title: name }, name)));
  const rows = classes.map((name, i) => {
    const total = sum(confusion.counts[i] ?? []);
    const cells = classes.map((other, j) => {
      const count = count_at(confusion, i, j);
      const share = total > 0 ? count / total : 0;
      const cell = element("td",
        { class: count === 0 ? "none" : share > 0.52 ? "strong" : "", title: `true ${name}, predicted ${other}: ${plural(count, "row")}, ${percent_text(share)} of the class` },
        count_text(count), with_shares ? element("small", {}, percent_text(share, share > 0 && share < 0.1 ? 1 : 0)) : null);
      // The square root shows rare mistakes, which are what one looks for.
      cell.style.setProperty("--share", String(i === j ? share : Math.min(1, Math.sqrt(share))));
      cell.style.setProperty("--hue", i === j ? "var(--right)" : "var(--wrong)");
      return cell;
    });
    return element("tr", {}, element("th", { scope: "row", title: name }, name), ...cells);
  });
  return element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Confusion matrix" },
    element("table", { class: "confusion" }, element("caption", { class: "unseen" }, "Confusion matrix: rows are true classes, columns predictions"),
      element("thead", {}, head), element("tbody", {}, ...rows)));
}

function by_class(confusion: Confusion) {
  const { classes, counts } = confusion;
  const rows = classes.map((name, i) => {
    const truth = sum(counts[i] ?? []);
    const predicted = sum(counts.map((row) => row[i] ?? 0));
    const right = count_at(confusion, i, i);
    const recall = truth > 0 ? right / truth : null;
    const precision = predicted > 0 ? right / predicted : null;
    const harmonic = truth + predicted > 0 ? (2 * right) / (truth + predicted) : null;
    const cell = (value: number | null) => element("span", { class: "number" }, fixed_text(value, 3));
    return [name, truth, predicted, cell(recall), cell(precision), cell(harmonic)];
  });
  return { columns: ["Class", "True rows", "Predicted", "Recall", "Precision", "F1"], rows };
}
