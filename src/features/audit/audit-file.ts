import { closeSync, constants, openSync, writeSync } from 'node:fs';

import { orUndefined } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';

/** Standard output, as `AUDIT_FILE` names it. */
export const STDOUT = '-';
const STDOUT_FD = 1;
/** Appends; a pipe that nobody reads refuses a line, and does not hold up the gateway. */
const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;
/** As long as most lines, so that it fits where they do. Readers of JSON skip it. */
const BLANK_LINE = `${' '.repeat(600)}\n`;
/** A write opens the file anew after so long, since it may have been moved; each does while writing fails. */
const REOPEN_MS = 1_000;

export type AuditFile = ReturnType<typeof createAuditFile>;

/** Makes a file that is appended to by single writes, which are done when the function returns. */
export function createAuditFile(path: string, log: Log) {
  let fd: number | undefined;
  let openUntilMs = 0;
  /** `undefined` until the first write. Before that and while writing fails, the file may end within a line. */
  let isFailing: boolean | undefined;
  /** Outcomes, in their order: no change is sent before they are written, so there are as many as changes under way. */
  const unwritten = new Set<string>();

  /** The next line opens it anew. */
  const close = () => {
    if (fd !== undefined && fd !== STDOUT_FD) closeSync(fd);
    fd = undefined;
  };
  const open = (): number => {
    if (fd !== undefined && isFailing === false && performance.now() < openUntilMs) return fd;
    const opened = path === STDOUT ? STDOUT_FD : openSync(path, FLAGS, 0o600);
    // Only now, so that the reader of a pipe meets no end.
    close();
    fd = opened;
    openUntilMs = performance.now() + REOPEN_MS;
    return fd;
  };
  const write = (line: string): void => {
    const text = isFailing === false ? line : `\n${line}`;
    if (writeSync(open(), text) < Buffer.byteLength(text))
      throw new Error('A line was written in part.');
  };
  /** Appends a line, behind outcomes that could not be written. @throws {Error} of the system where that fails. */
  const append = (line?: string): void => {
    try {
      for (const outcome of unwritten) {
        write(outcome);
        unwritten.delete(outcome);
      }
      if (line !== undefined) write(line);
      if (isFailing) log.info('the audit can be written again');
      isFailing = false;
    } catch (err) {
      if (!isFailing) log.error({ err }, 'the audit cannot be written: changes are refused');
      isFailing = true;
      throw err;
    }
  };
  /** Appends a line now, or else before any other. */
  const appendOutcome = (line: string): void => {
    unwritten.add(line);
    orUndefined(append);
  };
  /** Whether lines can be written. After one could not be, this tries a blank one. */
  const isWritable = (): boolean => {
    if (isFailing) orUndefined(() => append(BLANK_LINE));
    return !isFailing;
  };
  return { append, appendOutcome, isWritable, close };
}
