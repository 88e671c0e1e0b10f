import { closeSync, constants, openSync, writeSync } from 'node:fs';

import { codeOrMessage, orUndefined } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';

/** The value of `AUDIT_FILE` for standard output. */
export const STDOUT = '-';
const STDOUT_FD = 1;
/**
 * Flags to append. Without blocking, a pipe that has no reader fails instead of holding up the
 * gateway.
 */
const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;
/**
 * A probe as long as most lines: if it can be written, so can they. JSON readers skip blank lines.
 */
const BLANK_LINE = `${' '.repeat(600)}\n`;
/**
 * Milliseconds until a write opens the file again, because the file may have been moved. While
 * writing fails, each write opens it again.
 */
const REOPEN_MS = 1_000;

const ADVICE =
  'Free space on the disk, or correct the permissions; changes then go on by themselves.';

/** The file of the audit. */
export interface AuditFile {
  /**
   * Appends the pending outcomes, and then the line, if there is one.
   *
   * @throws {Error} of the system if writing fails.
   */
  append(line?: string): void;
  /** Appends the outcome of a change. If that fails, it is written before any other line later. */
  appendOutcome(line: string): void;
  /** Returns whether lines can be written. After a failure it tries to write a blank line. */
  isWritable(): boolean;
  /** Closes the file. The next write opens it again. */
  close(): void;
  /** The number of written lines and of failed attempts, without the probes of `isWritable`. */
  readonly attempts: { readonly written: number; readonly failed: number };
  /** Returns the number of outcome lines that could not be written yet. */
  waiting(): number;
}

/** Opens an audit file. Each line is appended by one synchronous write. */
export function createAuditFile(path: string, log: Log): AuditFile {
  let fd: number | undefined;
  let openUntilMs = 0;
  /**
   * `undefined` until the first write. Before it, and while writing fails, the file may end in the
   * middle of a line.
   */
  let isFailing: boolean | undefined;
  /**
   * Outcome lines that could not be written yet, in order. No change is sent before them, so there
   * is at most one for each change in flight.
   */
  const unwritten = new Set<string>();
  const attempts = { written: 0, failed: 0 };

  const close = () => {
    if (fd !== undefined && fd !== STDOUT_FD) closeSync(fd);
    fd = undefined;
  };
  const open = (): number => {
    if (fd !== undefined && isFailing === false && performance.now() < openUntilMs) return fd;
    const opened = path === STDOUT ? STDOUT_FD : openSync(path, FLAGS, 0o600);
    // The old file is closed after the new one is open, so that the reader of a pipe sees no end.
    close();
    fd = opened;
    openUntilMs = performance.now() + REOPEN_MS;
    return fd;
  };
  const write = (line: string): void => {
    const text = isFailing === false ? line : `\n${line}`;
    if (writeSync(open(), text) < Buffer.byteLength(text))
      throw new Error('A line was written in part.');
    if (line !== BLANK_LINE) attempts.written++;
  };
  const markFailing = (err: unknown, line?: string): void => {
    if (line !== BLANK_LINE) attempts.failed++;
    if (!isFailing)
      log.error(
        { reason: codeOrMessage(err), file: path, advice: ADVICE },
        'the audit cannot be written: changes are refused',
      );
    isFailing = true;
  };
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
      markFailing(err, line);
      throw err;
    }
  };
  const appendOutcome = (line: string): void => {
    unwritten.add(line);
    orUndefined(append);
  };
  const isWritable = (): boolean => {
    if (isFailing) orUndefined(() => append(BLANK_LINE));
    return !isFailing;
  };
  return {
    append,
    appendOutcome,
    isWritable,
    close,
    attempts,
    waiting: () => unwritten.size,
  };
}
