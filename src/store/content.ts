/** A record as a store holds it. */
export interface Content<T> {
  record(): T;
  /** Gives the record to somebody who does not want it again. */
  peek(): T;
}

/** Makes the content that is nothing but a record. */
export function fixedContent<T>(record: T): Content<T> {
  const give = () => record;
  return { record: give, peek: give };
}
