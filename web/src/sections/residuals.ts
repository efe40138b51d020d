// Regression: predicted against true, residuals over predictions, the distribution of residuals.
import { chips_element } from "../chips";
import { element } from "../dom";
import { row_of } from "../figure";
import { number_text, percent_text, plural } from "../format";
import type { RegressionOutput, Report } from "../report";
import { thinned_note, type Section } from "../section";
import { agreement_figure, complete_rows, outside, residual_figure, type Rows } from "./residual_scatters";
import { distribution_figure, quantile_figure } from "./residual_distribution";

export function residuals_section(report: Report): Section | null {
  const outputs = report.regression?.outputs ?? [];
  const first = outputs[0];
  if (!first) return null;
  return {
    id: "residuals",
    title: "Predictions and residuals",
    group: "How well",
    lead: lead(complete_rows(first), first, outputs.length) + thinned_note(report.regression?.thinned),
    body: () => {
      const place = element("div", {}, ...views(first));
      if (outputs.length === 1) return [place];
      const chips = chips_element("Outputs", outputs.map((output) => ({ name: output.name })), "one", (index) => {
        const output = outputs[index ?? 0];
        if (output) place.replaceChildren(...views(output));
      });
      return [chips, place];
    },
  };
}

function lead(rows: Rows, output: RegressionOutput, outputs: number): string {
  const sizes = rows.residual.map(Math.abs).sort((a, b) => a - b);
  const half = sizes[Math.floor(sizes.length / 2)];
  const of = outputs > 1 ? ` of ${output.name}` : "";
  let text = `Half of the ${plural(rows.truth.length, "prediction")}${of} are within ${number_text(half, 3)} of the truth; points on the diagonal are exact.`;
  if (rows.lower && rows.upper) {
    const missed = rows.truth.filter((_, i) => outside(rows, i)).length;
    text += ` ${percent_text(missed / rows.truth.length)} lie outside their ${output.level ? percent_text(output.level, 0) : ""} interval.`;
  }
  return `${text} Residuals should scatter about zero without a pattern.`;
}

function views(output: RegressionOutput): HTMLElement[] {
  const rows = complete_rows(output);
  if (rows.truth.length === 0) return [element("p", { class: "notice" }, "No row has both a true value and a prediction.")];
  return [
    row_of(agreement_figure(rows, output), residual_figure(rows, output)),
    row_of(distribution_figure(rows), quantile_figure(rows)),
  ];
}
