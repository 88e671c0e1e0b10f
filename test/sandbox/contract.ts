/** Why a status does not apply to an operation. */
interface NotApplicable {
  readonly not: string;
}

/** A request that comes to a status, by whom, and the error code that it shows. */
export interface Row {
  readonly path?: string;
  readonly body?: unknown;
  readonly user?: string;
  readonly errorCode?: string;
}

export type Cell = Row | NotApplicable;
export const applies = (cell: Cell): cell is Row => !('not' in cell);

export interface Contract {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly success: number;
  /** Reads can be answered by 304, and say when they last changed. */
  readonly isRead: boolean;
  readonly cells: { readonly bad: Cell; readonly denied: Cell; readonly missing: Cell; readonly broken: Cell };
}

/** By user; the sample users differ in what they may do. */
export const denied = (user: string): Row => ({ user, errorCode: 'PERMISSION_DENIED' });
export const NEVER_BROKEN = { not: 'no request brings it to an internal error' };
