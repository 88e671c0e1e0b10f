/** Draws numbers that one seed gives again. */
export interface Draw {
  /** From the first to the last, both included. */
  integer(first: number, last: number): number;
  /** Whether something of this probability happens. */
  chance(probability: number): boolean;
  oneOf<T>(choices: readonly [T, ...T[]]): T;
}

/** Draws by the generator "mulberry32". */
export function createDraw(seed: number): Draw {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (first: number, last: number) => first + Math.floor(next() * (last - first + 1));
  return {
    integer,
    chance: (probability) => next() < probability,
    oneOf: (choices) => choices[integer(0, choices.length - 1)] ?? choices[0],
  };
}
