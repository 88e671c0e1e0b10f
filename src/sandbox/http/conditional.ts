/** A time as HTTP says it: to the second, so that two changes within one second look alike. */
export const httpDate = (atMs: number) => new Date(atMs).toUTCString();

/** Whether a read may be answered by 304. A date that cannot be read is ignored. Source: the interface's "Errors". */
export function isUnchanged(changedAtMs: number, ifModifiedSince: string | undefined): boolean {
  const sinceMs = ifModifiedSince === undefined ? Number.NaN : Date.parse(ifModifiedSince);
  return !Number.isNaN(sinceMs) && toSecond(changedAtMs) <= sinceMs;
}

const toSecond = (atMs: number) => Math.floor(atMs / 1000) * 1000;
