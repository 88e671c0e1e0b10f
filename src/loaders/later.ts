/**
 * A value that comes with a promise which many values come with. Whoever waits for that promise once can have all of them
 * at once afterwards; whoever awaits the value itself gets it like any other.
 */
export interface Later<T> extends PromiseLike<T> {
  /** Resolves when the value can be had; it never rejects. */
  readonly promise: Promise<unknown>;
  /**
   * Gives the value once the promise has resolved, or what else has to be waited for.
   *
   * @throws what went wrong.
   */
  readonly resume: () => MaybeLater<T>;
}

export type MaybeLater<T> = T | Later<T>;

/** Makes a value of what `resume` gives when `promise` has resolved. */
export function later<T>(promise: Promise<unknown>, resume: () => MaybeLater<T>): Later<T> {
  return {
    promise,
    resume,
    // biome-ignore lint/suspicious/noThenProperty: whoever does not know about `resume` can await it.
    then: (onValue, onError) => promise.then(resume).then(onValue, onError),
  };
}

/** Makes a value of what a promise gives, however it settles. */
export function settled<T>(promised: PromiseLike<T>): Later<T> {
  let open = (): T => {
    throw new Error('It is not there yet.');
  };
  const promise = promised.then(
    (value) => {
      open = () => value;
    },
    (error: unknown) => {
      open = () => {
        throw error;
      };
    },
  );
  return later(Promise.resolve(promise), () => open());
}

/** Goes on with a value: at once where it is there, else when it is, together with all that come with it. */
export function goOn<T, R>(value: MaybeLater<T>, next: (value: T) => MaybeLater<R>): MaybeLater<R> {
  if (!isLater(value)) return next(value);
  const { promise, resume } = value;
  return later(promise, () => goOn(resume(), next));
}

/** Whether a value has to be waited for in this way. */
export function isLater<T>(value: MaybeLater<T>): value is Later<T> {
  return typeof value === 'object' && value !== null && 'resume' in value && typeof value.resume === 'function';
}
