/**
 * Returns a function that computes a value once per key. It also keeps an error, and throws it
 * again.
 */
export function oncePer<K extends object, T>(compute: (key: K) => T): (key: K) => T {
  const outcomes = new WeakMap<K, { readonly value: T } | { readonly error: unknown }>();
  const attempt = (key: K) => {
    try {
      return { value: compute(key) };
    } catch (error) {
      return { error };
    }
  };
  return (key) => {
    const known = outcomes.get(key);
    const outcome = known ?? attempt(key);
    if (known === undefined) outcomes.set(key, outcome);
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  };
}
