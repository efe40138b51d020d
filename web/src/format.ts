// Numbers, counts and sizes as text.
import type { Maybe } from "./report";

const minus = "\u2212";
export const absent = "\u2013";

// About four significant digits, without an exponent where a person would write none.
export function number_text(value: Maybe | undefined, digits = 4): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return absent;
  if (value === 0) return "0";
  const size = Math.abs(value);
  let text: string;
  if (size >= 1e6 || size < 1e-4) {
    text = value.toExponential(Math.max(0, digits - 2)).replace(/\.?0+e/, "e").replace("e+", "e");
  } else if (Number.isInteger(value)) {
    text = String(value);
  } else {
    const before = Math.floor(Math.log10(size)) + 1;
    text = value.toFixed(Math.min(8, Math.max(0, digits - Math.max(before, size < 0.1 ? before : 0))));
    if (text.includes(".")) text = text.replace(/\.?0+$/, "");
  }
  return text.replaceAll("-", minus);
}

// Fixed decimals, for columns of numbers that are read one below the other.
export function fixed_text(value: Maybe | undefined, decimals: number): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return absent;
  return value.toFixed(decimals).replaceAll("-", minus);
}

// As many decimals as the interval can carry: the first two digits of its half width.
export function decimals_for(half_width: number): number {
  if (!(half_width > 0)) return 3;
  return Math.min(6, Math.max(0, 1 - Math.floor(Math.log10(half_width))));
}

export function count_text(value: number): string {
  return Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

export function percent_text(share: number, decimals = 1): string {
  if (!Number.isFinite(share)) return absent;
  return `${(100 * share).toFixed(decimals)}\u202f%`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count_text(count)} ${count === 1 ? one : many}`;
}

export function seconds_text(seconds: number): string {
  if (seconds >= 120) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  if (seconds >= 1) return `${number_text(seconds, 3)} s`;
  if (seconds >= 1e-3) return `${number_text(seconds * 1e3, 3)} ms`;
  return `${number_text(seconds * 1e6, 3)} µs`;
}

export function bytes_text(bytes: number): string {
  const units = ["bytes", "KB", "MB", "GB", "TB"];
  let unit = 0;
  while (bytes >= 1000 && unit < units.length - 1) {
    bytes /= 1000;
    ++unit;
  }
  return `${number_text(bytes, 3)} ${units[unit]}`;
}

// "a, b and c"
export function list_text(words: string[]): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;
}
