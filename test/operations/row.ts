/** Why a status does not apply to an operation. */
interface NotApplicable {
  readonly not: string;
}

/** A request that comes to a status, by whom, and the error code that it shows. */
export interface Refused {
  readonly path?: string;
  readonly body?: unknown;
  readonly user?: string;
  readonly errorCode?: string;
}

type Cell = Refused | NotApplicable;
export const applies = (cell: Cell): cell is Refused => !('not' in cell);

/**
 * The facts about an operation that tests share. In `query` and paths `NEW` stands for the id of the
 * `created` record, and `GLOBAL(Instance expense 3)` for the global id of a record.
 */
export interface Row {
  /** Arguments for a call of the client, to a platform that answers anything. */
  readonly args: object;
  /** The members by which that platform's response is accepted. */
  readonly answer: object;
  /** The record that must exist before: the request to the sandbox that creates it. */
  readonly created?: { readonly path: string; readonly body: object };
  /**
   * A GraphQL document that causes exactly one call: this operation. In a mutation `KEY` marks the
   * place of the idempotency key.
   */
  readonly query: string;
  /** Its request to the sandbox, below `/v1.0`, and the status of its answer. */
  readonly path: string;
  readonly body?: unknown;
  readonly success: number;
  /** Whether that answer has no body. */
  readonly isSilent?: boolean;
  /** How to bring the sandbox to each status of the interface's "Errors": 400, 403, 404 and 500. */
  readonly cells: {
    readonly bad: Cell;
    readonly denied: Cell;
    readonly missing: Cell;
    readonly broken: Cell;
  };
}

export type Rows = Readonly<Record<string, Row>>;

interface Refusals {
  readonly bad: Cell;
  /** A user without the permission. The sample users have different permissions. */
  readonly denied: string;
  readonly missing: Cell;
  readonly broken?: Cell;
}

/** The cells of a row. Hardly any request brings the sandbox to an internal error. */
export const refused = ({
  bad,
  denied,
  missing,
  broken = { not: 'no request brings it there' },
}: Refusals) => ({
  bad,
  denied: { user: denied, errorCode: 'PERMISSION_DENIED' },
  missing,
  broken,
});
