interface Located {
  readonly path?: readonly (string | number)[] | undefined;
}

/**
 * Gives what errors say of an answer: each one whose field is there with all that `tell` gives of it; where a field has taken
 * what is around it along, that something there failed, since which one did depends on what came first.
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
