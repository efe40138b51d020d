// Elements from code. Text is always set as text, never parsed: names of columns and classes come from user data.

type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, string | number | boolean | undefined | ((event: Event) => void)>;

// element("p", {class: "lead"}, "text", other): a function under a name like "click" becomes a listener.
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== undefined && value !== false) node.setAttribute(name, String(value));
  }
  append(node, children);
  return node;
}

const svg_space = "http://www.w3.org/2000/svg";

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | number | undefined> = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const node = document.createElementNS(svg_space, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) node.setAttribute(name, String(value));
  }
  append(node, children);
  return node;
}

function append(node: Element, children: Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    node.append(typeof child === "number" ? String(child) : child);
  }
}

// A button that copies what text() gives, and says so. Clipboards are closed to some pages opened from disk: then the
// text is selected by way of a passing text area.
export function copy_button(label: string, text: () => string): HTMLButtonElement {
  const button = element("button", { type: "button", class: "quiet" }, label);
  button.addEventListener("click", () => {
    void copy(text()).then((copied) => {
      button.textContent = copied ? "Copied" : "Not copied";
      window.setTimeout(() => (button.textContent = label), 1500);
    });
  });
  return button;
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = element("textarea", { "aria-hidden": "true", class: "passing" });
    area.value = text;
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    return copied;
  }
}
