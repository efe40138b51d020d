// Tables of numbers and text, and their form for spreadsheets.
import { element } from "./dom";
import { number_text } from "./format";

export type Cell = string | number | null | undefined | Node;
export interface Table { columns: string[]; rows: Cell[][] }

const shown_rows = 200;

export function table_element(table: Table, caption: string, more: { class?: string } = {}): HTMLElement {
  const numeric = table.columns.map((_, i) => table.rows.some((row) => is_number(row[i])));
  const side = (i: number) => (numeric[i] ? "number" : undefined);
  const head = element("tr", {}, ...table.columns.map((name, i) => element("th", { scope: "col", class: side(i) }, name)));
  const body = table.rows.slice(0, shown_rows).map((row) =>
    element("tr", {}, ...row.map((cell, i) => element("td", { class: side(i), "data-label": table.columns[i] }, cell_content(cell)))),
  );
  const left_out = table.rows.length - body.length;
  return element(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    element(
      "table",
      { class: more.class },
      element("caption", { class: "unseen" }, caption),
      element("thead", {}, head),
      element("tbody", {}, ...body),
    ),
    left_out > 0 && element("p", { class: "note" }, `${left_out} more rows are left out here; copying takes all of them.`),
  );
}

function is_number(cell: Cell): boolean {
  return typeof cell === "number" || (cell instanceof Element && cell.classList.contains("number"));
}

function cell_content(cell: Cell): Node | string {
  if (cell instanceof Node) return cell;
  return typeof cell === "string" ? cell : number_text(cell, 5);
}

// Columns separated by tabs, numbers in full.
export function table_text(table: Table): string {
  const cell_text = (cell: Cell) => (cell instanceof Node ? (cell.textContent ?? "") : String(cell ?? ""));
  return [table.columns, ...table.rows].map((row) => row.map(cell_text).join("\t")).join("\n") + "\n";
}
