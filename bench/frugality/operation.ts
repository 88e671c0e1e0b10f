/** One operation of the table. */
export interface Operation {
  readonly name: string;
  readonly query: string;
  /** What differs each time that it is asked, such as the instance that is deleted. */
  readonly variables?: (turn: number) => Readonly<Record<string, unknown>>;
  /** The fewest calls by which anyone could answer it who knows the interface and nothing else. */
  readonly least: number;
  /** Why not fewer. */
  readonly because: string;
}

/** Asks a graph, whoever serves it. */
export type Ask = (
  query: string,
  variables: Readonly<Record<string, unknown>>,
) => Promise<{ readonly data?: unknown; readonly errors?: readonly unknown[] | undefined }>;

/** How many calls each way of answering an operation made; those for tokens are not counted. */
export interface Calls {
  /** Each field asks for what it needs. */
  readonly naive: number;
  /** The same with DataLoaders by id. */
  readonly loaders: number;
  /** The gateway, which has been asked nothing before. */
  readonly cold: number;
  /** The gateway again, at once. */
  readonly warm: number;
  /** How many of the warm ones were answered by 304. */
  readonly unchanged: number;
  /** A gateway that is told for how long what it read may be taken to be true, asked again within that time. */
  readonly fresh: number;
}
