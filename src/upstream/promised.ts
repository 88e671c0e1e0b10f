import type { Json } from '../core/json.ts';
import type { Dialect } from './dialect.ts';
import type { ResponseHeaders } from './records.ts';

/** A parsed 2xx response. */
export interface Answer {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** `undefined` if the body is empty. */
  readonly body?: Json | undefined;
  /** The names of the form's fields. `undefined` if its definition is not loaded. */
  readonly fields?: ReadonlySet<string> | undefined;
  /**
   * The id of a created record after recognition. `hasContent` is true if the response contains its
   * values.
   */
  readonly id?: string;
  readonly hasContent?: boolean;
}

/** A member of the dialect that holds names, by its place in the file, such as `case.id`. */
export type DialectNames = {
  [Section in keyof Dialect]-?: {
    [Name in keyof Dialect[Section] & string]: Dialect[Section][Name] extends readonly string[]
      ? `${Section}.${Name}`
      : never;
  }[keyof Dialect[Section] & string];
}[keyof Dialect];

/** The promised content of an operation's 2xx response, and the members that prove it. */
export interface Promised<A> {
  /** The noun for messages, with article. */
  readonly called: string;
  /** `done`: any body, unless it contradicts the status. */
  readonly is: 'record' | 'list' | 'created' | 'done';
  /** The names of the record's id. */
  readonly id?: DialectNames;
  /** The names of other members that prove it. */
  readonly members: readonly DialectNames[];
  /** Returns the requested id, if the response may repeat it. */
  askedId?(args: A): string;
  /** Returns the form whose fields also prove it. */
  formId?(args: A): string;
}

/** The reason why a 2xx response is not the promised one. */
export type Mismatch = keyof typeof MISMATCHES;

export const MISMATCHES = {
  absent: 'it is not recognised as that',
  refused: 'it describes an error (error.code, error.message)',
  ambiguous: 'it may describe an error (error.code, error.message) as well as a success',
  'other-id': 'it has another id than the requested one',
  'not-int64': 'its id is no integer of 64 bits',
  misplaced: 'it has the fields of the form at another place',
  empty: 'it has no body',
  page: 'it is an HTML page',
  'not-json': 'it is no JSON that can be read',
} as const;

/** A 2xx response that is not the promised one. */
export class UnrecognisedError extends Error {
  readonly why: Mismatch;

  constructor(why: Mismatch) {
    super(MISMATCHES[why]);
    this.why = why;
  }
}
