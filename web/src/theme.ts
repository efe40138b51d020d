// Light, dark and paper. Charts of SVG take their colours from the style sheet and follow by themselves; what is painted
// on a canvas asks color() and is painted again when the theme changes.

type Choice = "auto" | "light" | "dark";
const listeners = new Set<() => void>();
const system_dark = matchMedia("(prefers-color-scheme: dark)");
const paper = matchMedia("print");
let choice: Choice = "auto";
let printing = paper.matches;

function is_dark(): boolean {
  if (printing) return false;
  return choice === "auto" ? system_dark.matches : choice === "dark";
}

function apply(): void {
  const { dataset } = document.documentElement;
  const wanted = is_dark() ? "dark" : "light";
  if (dataset["theme"] === wanted && "paper" in dataset === printing) return;
  dataset["theme"] = wanted;
  if (printing) dataset["paper"] = "";
  else delete dataset["paper"];
  for (const listener of listeners) listener();
}

export function start_theme(): void {
  apply();
  system_dark.addEventListener("change", apply);
  const set_printing = (value: boolean) => {
    printing = value;
    apply();
  };
  paper.addEventListener("change", (event) => set_printing(event.matches));
  window.addEventListener("beforeprint", () => set_printing(true));
  window.addEventListener("afterprint", () => set_printing(false));
}

// From what is seen now to the other one.
export function toggle_theme(): void {
  choice = is_dark() ? "light" : "dark";
  apply();
}

export function on_theme(listener: () => void): void {
  listeners.add(listener);
}

// The value of a colour of the style sheet, e.g. color("--ink").
export function color(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim() || "#888888";
}

export const class_colors = 10;

// The colour of class `index` as the style sheet names it; after ten they come again.
export function class_variable(index: number): string {
  return `--class-${((index % class_colors) + class_colors) % class_colors}`;
}

export function class_color(index: number): string {
  return `var(${class_variable(index)})`;
}
