// Colour ramps for heat maps: red, green and blue interpolated between the stops of the style sheet.
import { color } from "../theme";

export type Rgb = [number, number, number];
export type Ramp = (share: number) => Rgb;

export function parse_color(text: string): Rgb {
  const hex = /^#([0-9a-f]{6})$/i.exec(text);
  if (!hex?.[1]) return [136, 136, 136];
  const value = parseInt(hex[1], 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

function between(a: Rgb, b: Rgb, share: number): Rgb {
  return [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share, a[2] + (b[2] - a[2]) * share];
}

function ramp_of(names: string[]): Ramp {
  const stops = names.map((name) => parse_color(color(name)));
  return (share) => {
    const place = Math.min(1, Math.max(0, share)) * (stops.length - 1);
    const left = Math.min(stops.length - 2, Math.floor(place));
    return between(stops[left] as Rgb, stops[left + 1] as Rgb, place - left);
  };
}

// From nothing (the paper) to much.
export function sequential(): Ramp {
  return ramp_of(["--ramp-0", "--ramp-1", "--ramp-2", "--ramp-3", "--ramp-4"]);
}

// From negative over zero (the paper) to positive.
export function diverging(): Ramp {
  return ramp_of(["--low-2", "--low-1", "--zero", "--high-1", "--high-2"]);
}

// The class's colour thinned with the paper, for regions that points are drawn upon.
export function tint(name: string, share: number): Rgb {
  return between(parse_color(color("--paper")), parse_color(color(name)), share);
}

export function css(rgb: Rgb): string {
  return `rgb(${rgb.map(Math.round).join(",")})`;
}

// Which text is readable upon this colour.
export function ink_upon(rgb: Rgb): string {
  const luminance = 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2];
  return luminance > 140 ? "#14181c" : "#ffffff";
}
