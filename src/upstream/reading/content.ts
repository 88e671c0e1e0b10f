/** A record, and what it can be read from again: the text takes a fraction of the memory that is taken by a record. */
export interface Content<T> {
  /** Gives the record, the same one each time unless it was let go in between. Whoever gets it changes nothing in it. */
  record(): T;
  /** Gives the record to somebody who does not want it again. */
  peek(): T;
  /**
   * Lets the record go when it has been given once. Most of what is read is never asked for again; what is, is read again
   * from its text, and stays from then on.
   */
  giveOnce(): void;
}

/** @param again reads the record anew; it cannot fail, since it was read before. */
export function createContent<T>(record: T, again: () => T): Content<T> {
  let known: { readonly record: T } | undefined = { record };
  let isFirst = true;
  let isGivenOnce = false;
  const peek = () => (known === undefined ? again() : known.record);

  return {
    peek,
    record() {
      const given = peek();
      known = isFirst && isGivenOnce ? undefined : { record: given };
      isFirst = false;
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
