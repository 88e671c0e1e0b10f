import type { IncomingHttpHeaders } from 'node:http';

import type { Json } from '../json.ts';
import type { ListQuery } from '../listing/listing.ts';
import type { User } from '../model.ts';

/** The interface's operations, spelled as there (sic). */
export type OperationName =
  | 'getToken'
  | 'getForms'
  | 'getForm'
  | 'getFormIntances'
  | 'createFormIntance'
  | 'getFormIntance'
  | 'updateFormIntance'
  | 'updateValuesOfFormIntance'
  | 'deleteFormIntance'
  | 'startCase'
  | 'executeCurrentActivity'
  | 'getParameters'
  | 'execute';

/** What the network brings, before anybody looked at it. */
export interface Incoming {
  readonly headers: IncomingHttpHeaders;
  /** Each one percent-decoded path segment. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: ListQuery;
  /** The body as text; empty when there is none. */
  readonly text: string;
}

/** One authorized call. */
export interface Call extends Incoming {
  readonly user: User;
}

/** What goes back. */
export interface Answer {
  readonly status: number;
  /** Made only when it is sent: a 304 needs none. */
  readonly body?: (() => Json) | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * When what is read last changed, in epoch milliseconds; only reads have it. A write answers about what it did, and
   * `If-Modified-Since` on it must not keep it from being done, so writes cannot come to 304.
   */
  readonly changedAtMs?: number;
}

export interface Operation {
  readonly name: OperationName;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/v1.0`, in the router's notation. */
  readonly path: string;
  /** @throws {ApiError} for every refusal. */
  answer(call: Call): Answer;
}
