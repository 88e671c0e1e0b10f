/** A query to try, shown as one tab. */
export interface Sample {
  /** The operation's name in the document, which is also the tab's title. */
  readonly name: string;
  /** The platform's operation that it shows, as the interface spells it; of a typed form, the form's title. */
  readonly operation: string;
  readonly group: string;
  readonly kind: 'query' | 'mutation' | 'subscription';
  readonly query: string;
  readonly fill?: Fill | undefined;
}

/** Where a sample's ids come from when the reader has given none. */
export interface Fill {
  readonly variables: readonly string[];
  /** Shown to the reader above the variables. */
  readonly note: string;
  /** Operations to send in turn, until each variable has a value: the first text in an answer that has its name. */
  readonly sources: readonly string[];
}
