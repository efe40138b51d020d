// Lines of equal value on a grid, by marching squares with linear interpolation along the edges. Lines end at the edge
// of the grid (they are not closed along it); squares with a missing value have none. At a saddle the mean of the four
// corners decides which sides belong together.
import type { Maybe } from "../report";

export type Segment = [x1: number, y1: number, x2: number, y2: number];

export function contour_lines(x: number[], y: number[], value: Maybe[][], level: number): Segment[] {
  const segments: Segment[] = [];
  for (let row = 0; row + 1 < y.length; ++row) {
    for (let column = 0; column + 1 < x.length; ++column) {
      square(x, y, value, level, row, column, segments);
    }
  }
  return segments;
}

function square(
  x: number[], y: number[], value: Maybe[][], level: number, row: number, column: number, segments: Segment[],
): void {
  // Corners around the square: (row, column), (row, column+1), (row+1, column+1), (row+1, column).
  const corners = [value[row]?.[column], value[row]?.[column + 1], value[row + 1]?.[column + 1], value[row + 1]?.[column]];
  if (corners.some((corner) => corner === null || corner === undefined)) return;
  const v = corners as number[];
  const xs = [x[column], x[column + 1], x[column + 1], x[column]] as number[];
  const ys = [y[row], y[row], y[row + 1], y[row + 1]] as number[];
  const crossings: [number, number][] = [];
  // Each edge from its lower end, so that the square on its other side finds the very same point.
  for (const [a, b] of [[0, 1], [1, 2], [3, 2], [0, 3]] as const) {
    const va = v[a] as number;
    const vb = v[b] as number;
    if (va >= level === vb >= level) continue;
    const t = (level - va) / (vb - va);
    crossings.push([
      (xs[a] as number) + t * ((xs[b] as number) - (xs[a] as number)),
      (ys[a] as number) + t * ((ys[b] as number) - (ys[a] as number)),
    ]);
  }
  if (crossings.length === 4) {
    const middle = v.reduce((sum, corner) => sum + corner, 0) / 4 >= level;
    // The crossings lie on the edges 01, 12, 23, 30; around corner 0 they are the first and the last.
    const cut_first = middle !== (v[0] as number) >= level;
    join(cut_first ? 0 : 1, cut_first ? 3 : 0);
    join(cut_first ? 1 : 2, cut_first ? 2 : 3);
  } else if (crossings.length === 2) {
    join(0, 1);
  }

  function join(from: number, to: number): void {
    const [x1, y1] = crossings[from] as [number, number];
    const [x2, y2] = crossings[to] as [number, number];
    // A corner that has the level itself gives points, not lines.
    if (x1 !== x2 || y1 !== y2) segments.push([x1, y1, x2, y2]);
  }
}

// The segments joined end to end into lines, so that a line can be dashed.
export function joined_lines(segments: Segment[]): [number, number][][] {
  const key = (x: number, y: number) => `${x} ${y}`;
  const at = new Map<string, number[]>();
  segments.forEach(([x1, y1, x2, y2], i) => {
    for (const end of [key(x1, y1), key(x2, y2)]) at.set(end, [...(at.get(end) ?? []), i]);
  });
  const used = new Set<number>();
  // Follows the line from a point over unused segments.
  const follow = (line: [number, number][]): [number, number][] => {
    for (;;) {
      const [x, y] = line[line.length - 1] as [number, number];
      const next = (at.get(key(x, y)) ?? []).find((i) => !used.has(i));
      if (next === undefined) return line;
      used.add(next);
      const [x1, y1, x2, y2] = segments[next] as Segment;
      line.push(key(x1, y1) === key(x, y) ? [x2, y2] : [x1, y1]);
    }
  };
  const lines: [number, number][][] = [];
  segments.forEach(([x1, y1, x2, y2], i) => {
    if (used.has(i)) return;
    used.add(i);
    const forward = follow([[x1, y1], [x2, y2]]);
    const backward = follow([[x1, y1]]);
    lines.push([...backward.reverse().slice(0, -1), ...forward]);
  });
  return lines;
}
