/** Names that somebody chose for one form: of its type, and of its fields by the platform's names. */
export interface Alias {
  readonly name?: string | undefined;
  readonly fields: ReadonlyMap<string, string>;
}

/** Chosen names, by `idForm`. */
export type Aliases = ReadonlyMap<string, Alias>;
