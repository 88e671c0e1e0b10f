/** A record, or what it can be read from again: the text takes a fraction of the memory that is taken by a record. */
export interface Content<T> {
  /**
   * Gives the record, the same one each time unless it was let go in between. From the first time on either the record is
   * kept or its text.
   */
  record(): T;
  /** Gives the record to somebody who does not want it again. */
  peek(): T;
  /**
   * Lets the record go when it is given for the first time. Most of what is read is never asked for again; what is, is read
   * again from its text, and stays from then on.
   */
  giveOnce(): void;
}

/** @param again reads the record anew; it cannot fail, since it was read before. */
export function createContent<T>(record: T, again: () => T): Content<T> {
  let known: { readonly record: T } | (() => T) = { record };
  let spare: (() => T) | undefined = again;
  let isGivenOnce = false;
  const peek = () => (typeof known === 'function' ? known() : known.record);

  return {
    peek,
    record() {
      const given = peek();
      known = isGivenOnce && spare !== undefined ? spare : { record: given };
      spare = undefined;
      return given;
    },
    giveOnce() {
      isGivenOnce = true;
    },
  };
}

/** Makes the content that is nothing but a record. */
export function fixedContent<T>(record: T): Content<T> {
  const give = () => record;
  return { record: give, peek: give, giveOnce: () => undefined };
}
