// Random numbers from a seed, the same on every machine.

/** @param {number} seed @returns {() => number} numbers in [0, 1) (mulberry32) */
export function uniform_from(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** @param {() => number} uniform @returns {() => number} standard normal numbers (the sum of twelve uniform ones) */
export function normal_from(uniform) {
  return () => {
    let sum = -6;
    for (let i = 0; i < 12; ++i) sum += uniform();
    return sum;
  };
}

/** @param {number} value @returns {number} six significant digits */
export function rounded(value) {
  return Number(value.toPrecision(6));
}

/** @param {number} low @param {number} high @param {number} count */
export function linspace(low, high, count) {
  return Array.from({ length: count }, (_, i) => rounded(low + ((high - low) * i) / (count - 1)));
}
