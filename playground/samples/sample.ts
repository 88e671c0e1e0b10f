/** A query to try, in its own tab. */
export interface Sample {
  /** The operation's name in the document, and the tab's title. */
  readonly name: string;
  /** The platform's operation, spelled as in the interface, or the title of a typed form. */
  readonly operation: string;
  readonly group: string;
  readonly kind: 'query' | 'mutation' | 'subscription';
  readonly query: string;
  readonly fill?: Fill | undefined;
}

/** The source of a sample's ids if the user has not set them. */
export interface Fill {
  readonly variables: readonly string[];
  /** A comment above the variables. */
  readonly note: string;
  /**
   * Operations to send in turn until each variable has a value. The value is the first text in a
   * response with the variable's name.
   */
  readonly sources: readonly string[];
}
