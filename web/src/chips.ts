// A row of buttons that name the series of a chart and single one out.
import { element } from "./dom";

export interface Chip { name: string; note?: string; color?: string }

// Where `need` is "one", exactly one is chosen from the start; "none" starts without, and a second press takes it back.
export function chips_element(
  label: string, chips: Chip[], need: "one" | "none", choose: (index: number | null) => void,
): HTMLElement {
  let chosen: number | null = need === "one" ? 0 : null;
  const buttons = chips.map((chip, i) =>
    element(
      "button",
      {
        type: "button",
        "aria-pressed": "false",
        click: () => {
          chosen = chosen === i && need === "none" ? null : i;
          show();
          choose(chosen);
        },
      },
      chip.color ? swatch(chip.color) : null,
      chip.name,
      chip.note ? element("span", { class: "note" }, chip.note) : null,
    ),
  );
  const show = () => buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === chosen)));
  show();
  return element("div", { class: "chips", role: "group", "aria-label": label }, ...buttons);
}

export function swatch(color: string): HTMLElement {
  const box = element("span", { class: "swatch", "aria-hidden": "true" });
  box.style.background = color;
  return box;
}

// Names with their colours, to look at only.
export function legend_element(chips: Chip[]): HTMLElement {
  return element("ul", { class: "legend" }, ...chips.map((chip) =>
    element("li", {}, chip.color ? swatch(chip.color) : null, chip.name, chip.note ? element("span", { class: "note" }, chip.note) : null)));
}
