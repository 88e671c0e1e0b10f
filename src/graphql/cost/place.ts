import type { OPERATIONS } from '../../upstream/operations.ts';

/** How much of the graph stands at one place of an operation, at most. */
export interface Place {
  /** Objects in the answer. */
  readonly objects: number;
  /** Different records among them: equal ones are read once. */
  readonly records: number;
  /** Different forms that these records are, or belong to. */
  readonly forms: number;
  /** For a connection: how many rows one of them has. */
  readonly size?: number;
  /** For what was just created: it may have to be read before it can be shown. */
  readonly isFresh?: boolean;
  /** Whether it stands there whatever the platform has: the root does, and what a change gives back. */
  readonly isCertain?: boolean;
}

/** One object, such as what is below a read of one record. */
export const ONE: Place = { objects: 1, records: 1, forms: 1 };
/** Where an operation starts. */
export const ROOT: Place = { ...ONE, isCertain: true };

/** Calls of one kind to the platform. */
export interface Ask {
  /** As the interface spells it. */
  readonly operation: keyof typeof OPERATIONS | 'getToken';
  /** At most. */
  readonly calls: number;
  /**
   * Names of those calls that are made whatever the platform has, unless something fails; calls of one name are made
   * once.
   */
  readonly certain?: readonly string[];
}

/** One record to be looked up by an id that the operation states. */
export interface LookUp {
  /** The list that it is in: all look-ups of one list go together. */
  readonly list: string;
  /** Which field of the list's search holds the id. */
  readonly kind: 'formId' | 'instanceId';
  readonly id: string;
  /** How many such lists there are. */
  readonly times: number;
}

/** What a field costs, and what stands below it. */
export interface FieldCost {
  readonly ask?: Ask;
  /** Calls that all fields of one place share, by what they are for. */
  readonly shared?: Readonly<Record<string, Ask>>;
  readonly lookUp?: LookUp | undefined;
  readonly below?: Place;
}
