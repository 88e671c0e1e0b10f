import { closeSync, constants, fdatasyncSync, fstatSync, openSync, statSync, writeSync } from 'node:fs';

import type { Log } from '../../core/log.ts';

/** Standard output, as `AUDIT_FILE` names it. */
export const STDOUT = '-';
const STDOUT_FD = 1;
/** Appends; a pipe that nobody reads refuses a line, and does not hold up the gateway. */
const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;
const OWNER_ONLY = 0o600;
/** As long as most lines, so that it fits where they do. Readers of JSON skip it. */
const BLANK_LINE = `${' '.repeat(600)}\n`;
/** How often a write looks whether the file was moved; each does while writing fails. */
const LOOK_MS = 1_000;

export type AuditFile = ReturnType<typeof createAuditFile>;

/** Makes a file that is appended to by single writes, which are done, and on the disk if `isSynced`, when the function returns. */
export function createAuditFile(path: string, isSynced: boolean, log: Log) {
  let fd: number | undefined;
  let inode = 0;
  let lookAtMs = 0;
  /** Whether it may end within a line. */
  let isTorn = false;
  let isFailing = false;
  /** Outcomes that could not be written. No change is sent before they are, so there are no more than were under way. */
  let unwritten = '';

  /** The next line opens it anew. */
  const close = () => {
    if (fd !== undefined && fd !== STDOUT_FD) closeSync(fd);
    fd = undefined;
  };
  const isMoved = () => {
    if (path === STDOUT || (performance.now() < lookAtMs && !isFailing)) return false;
    lookAtMs = performance.now() + LOOK_MS;
    return statSync(path, { throwIfNoEntry: false })?.ino !== inode;
  };
  const open = (): number => {
    if (fd !== undefined && !isMoved()) return fd;
    close();
    fd = path === STDOUT ? STDOUT_FD : openSync(path, FLAGS, OWNER_ONLY);
    const { ino, size } = fstatSync(fd);
    inode = ino;
    // A process that was killed may have left a part of a line.
    isTorn ||= size > 0;
    return fd;
  };
  const write = (text: string): void => {
    const opened = open();
    const lines = isTorn ? `\n${text}` : text;
    const written = writeSync(opened, lines);
    const isPart = written < Buffer.byteLength(lines);
    if (written > 0) isTorn = isPart;
    if (isPart) throw new Error('A line was written in part.');
    if (isSynced) fdatasyncSync(opened);
  };

  /** Appends text, behind what could not be written. @throws {Error} of the system where that fails. */
  const append = (text: string): void => {
    try {
      write(unwritten + text);
      unwritten = '';
      if (isFailing) log.info('the audit can be written again');
      isFailing = false;
    } catch (err) {
      if (!isFailing) log.error({ err }, 'the audit cannot be written: changes are refused');
      isFailing = true;
      throw err;
    }
  };
  /** Appends text now, or else before any other. */
  const appendOutcome = (text: string): void => {
    try {
      append(text);
    } catch {
      unwritten += text;
    }
  };
  /** Whether lines can be written. After one could not be, this tries what is left, or a blank one. */
  const isWritable = (): boolean => {
    if (isFailing) appendOutcome(unwritten === '' ? BLANK_LINE : '');
    return !isFailing;
  };
  return { append, appendOutcome, isWritable, close };
}
