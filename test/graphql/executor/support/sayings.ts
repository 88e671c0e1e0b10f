interface Located {
  readonly path?: readonly (string | number)[] | undefined;
}

/**
 * Returns the comparable part of errors: for an error whose field is in the response, the result of
 * `tell`; for a field whose error has nulled a parent, only that something failed there, because
 * timing decides which error came first.
 */
export function sayings<T extends Located>(
  errors: readonly T[],
  data: unknown,
  tell: (error: T) => readonly unknown[],
): string[] {
  const said = errors.map((error) => {
    let place = data;
    const way: (string | number)[] = [];
    for (const key of error.path ?? []) {
      if (typeof place !== 'object' || place === null) return JSON.stringify([way, 'failed']);
      place = (place as Record<string | number, unknown>)[key];
      way.push(key);
    }
    return JSON.stringify([way, ...tell(error)]);
  });
  return [...new Set(said)].sort();
}
