// A chart with its caption, its description for those who do not see it, and its numbers on request. It is drawn to the
// width it has, and again when that width or the theme changes.
import { copy_button, element } from "./dom";
import { table_element, table_text, type Table } from "./table";
import { on_theme } from "./theme";

export interface Figure {
  title: string;
  note?: string;
  draw: (width: number) => Element;
  numbers: () => Table;
  widest?: number;
}

export function figure_element(figure: Figure): HTMLElement {
  const canvas = element("div", { class: "chart" });
  let drawn_width = 0;
  const redraw = () => {
    const width = Math.floor(Math.min(figure.widest ?? Infinity, canvas.clientWidth));
    if (width < 40) return;
    drawn_width = width;
    canvas.replaceChildren(figure.draw(Math.max(240, width)));
  };
  new ResizeObserver(() => {
    const width = Math.floor(Math.min(figure.widest ?? Infinity, canvas.clientWidth));
    if (Math.abs(width - drawn_width) >= 2) redraw();
  }).observe(canvas);
  on_theme(redraw);
  return element(
    "figure",
    { redraw },
    element("figcaption", {}, element("strong", {}, figure.title), figure.note ? ` ${figure.note}` : null),
    canvas,
    numbers_element(figure),
  );
}

// Built when it is opened for the first time: a table of thousands of rows costs more than the chart.
function numbers_element(figure: Figure): HTMLElement {
  const details = element("details", { class: "numbers" }, element("summary", {}, "Show the numbers"));
  details.addEventListener("toggle", () => {
    const summary = details.firstElementChild as HTMLElement;
    summary.textContent = details.open ? "Hide the numbers" : "Show the numbers";
    if (details.childElementCount > 1) return;
    const table = figure.numbers();
    details.append(
      element("div", { class: "tools" }, copy_button("Copy as a table", () => table_text(table))),
      table_element(table, `Numbers of: ${figure.title}`),
    );
  });
  return details;
}

// Charts side by side where there is room.
export function row_of(...figures: (Figure | null | false)[]): HTMLElement {
  const there = figures.filter((figure): figure is Figure => Boolean(figure));
  return element("div", { class: "row" }, ...there.map(figure_element));
}

// Draws the charts within anew, after a choice that they depend upon.
export function redraw_within(container: HTMLElement): void {
  for (const figure of container.querySelectorAll("figure")) figure.dispatchEvent(new CustomEvent("redraw"));
}
