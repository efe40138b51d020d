// The little statistics that the charts need.

export function quantile_sorted(sorted: number[], share: number): number {
  if (sorted.length === 0) return NaN;
  const place = share * (sorted.length - 1);
  const left = Math.floor(place);
  const a = sorted[left] as number;
  const b = sorted[Math.min(sorted.length - 1, left + 1)] as number;
  return a + (b - a) * (place - left);
}

export function sorted_numbers(values: number[]): number[] {
  return [...values].sort((a, b) => a - b);
}

export function mean_and_deviation(values: number[]): { mean: number; deviation: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: values.length > 1 ? Math.sqrt(squares / (values.length - 1)) : 0 };
}

// The inverse of the standard normal distribution function, by Halley steps on the complementary error function from the
// tail's leading term; accurate to about 1e-9, far more than a chart shows.
export function normal_quantile(share: number): number {
  if (share <= 0) return -Infinity;
  if (share >= 1) return Infinity;
  if (share > 0.5) return -normal_quantile(1 - share);
  const t = Math.sqrt(-2 * Math.log(share));
  let x = -(t - (2.515517 + 0.802853 * t + 0.010328 * t * t) / (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t ** 3));
  for (let step = 0; step < 2; ++step) {
    const error = (normal_distribution(x) - share) * Math.sqrt(2 * Math.PI) * Math.exp((x * x) / 2);
    x -= error / (1 + (x * error) / 2);
  }
  return x;
}

// By the continued fraction for x below -2 and the series about 0 otherwise.
export function normal_distribution(x: number): number {
  if (x > 0) return 1 - normal_distribution(-x);
  const density = Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
  if (x < -2) {
    let fraction = 0;
    for (let k = 60; k >= 1; --k) fraction = k / (-x + fraction);
    return density / (-x + fraction);
  }
  let term = x;
  let sum = x;
  for (let k = 1; k < 40; ++k) {
    term *= (x * x) / (2 * k + 1);
    sum += term;
  }
  return 0.5 + sum * density;
}

// Equal bins from the lowest to the highest, their number by the Freedman-Diaconis rule within [8, 60].
export function bin_edges(sorted: number[]): number[] {
  const low = sorted[0] ?? 0;
  const high = sorted[sorted.length - 1] ?? 1;
  if (!(high > low)) return [low - 0.5, low + 0.5];
  const spread = quantile_sorted(sorted, 0.75) - quantile_sorted(sorted, 0.25);
  const wanted = spread > 0 ? ((high - low) * Math.cbrt(sorted.length)) / (2 * spread) : 20;
  const bins = Math.round(Math.min(60, Math.max(8, wanted)));
  return Array.from({ length: bins + 1 }, (_, i) => low + ((high - low) * i) / bins);
}

export function bin_counts(sorted: number[], edges: number[]): number[] {
  const counts = Array.from({ length: edges.length - 1 }, () => 0);
  let bin = 0;
  for (const value of sorted) {
    while (bin < counts.length - 1 && value >= (edges[bin + 1] as number)) ++bin;
    counts[bin] = (counts[bin] as number) + 1;
  }
  return counts;
}
