/** A query to try, shown as one tab. */
export interface Sample {
  /** The operation's name in the document, which is also the tab's title. */
  readonly name: string;
  /** The platform's operation that it exercises, as the interface spells it; of a typed form, what the form is. */
  readonly operation: string;
  readonly group: 'Forms' | 'Instances' | 'Cases' | 'Rules' | 'Forms, typed';
  readonly kind: 'query' | 'mutation';
  readonly query: string;
  readonly fill?: Fill;
}

/** Where a sample's ids come from when the reader has given none. */
export interface Fill {
  readonly variables: readonly string[];
  /** Said to the reader, above the variables. */
  readonly note: string;
  /**
   * Operations to ask in turn, until each variable has a value: the first member of an answer that has the
   * variable's name.
   */
  readonly sources: readonly string[];
}
