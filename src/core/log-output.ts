import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** Where a log's lines go. */
export interface LogOutput extends DestinationStream {
  /** How many lines were lost, since they could not be written; absent where the process waits for each. */
  readonly lost?: () => number;
}

/** Lines are written together, after so many characters or milliseconds: each write costs more than a whole answer. */
const BUFFER_LENGTH = 16_000;
const FLUSH_MS = 100;
/** Lines that cannot be written wait up to so many characters; more are lost. */
const MAX_WAITING_LENGTH = 250_000;
/** How long an exiting process tries to write its last lines, and how often. */
const LAST_LINES_MS = 500;
const LAST_LINES_RETRY_MS = 10;

/**
 * Writes lines to a file descriptor in the background. Where that fails (a full disk, a pipe that nobody reads) it is tried
 * again, and a line says how many were lost meanwhile. (pino's own destination buffers without limit, and never lets a
 * process exit that cannot write.)
 */
export function createLogOutput(fd: number): LogOutput {
  let waiting = '';
  let unwritten: Buffer = Buffer.alloc(0);
  let isWriting = false;
  let isFailing = false;
  let timer: NodeJS.Timeout | undefined;
  let lost = 0;
  let reported = 0;

  const flushLater = (): void => {
    timer ??= setTimeout(flush, FLUSH_MS).unref();
  };
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (isWriting) return;
    if (unwritten.length === 0) {
      unwritten = Buffer.from(waiting);
      waiting = '';
    }
    isWriting = true;
    write(fd, unwritten, (error, written) => {
      isWriting = false;
      isFailing = error !== null;
      if (isFailing) return flushLater();
      unwritten = unwritten.subarray(written);
      if (lost > reported) waiting += lossLine(lost - reported);
      reported = lost;
      if (unwritten.length > 0) flush();
      else if (waiting !== '') flushLater();
    });
  };
  process.once('exit', () => {
    let last = Buffer.concat([isWriting ? Buffer.alloc(0) : unwritten, Buffer.from(waiting)]);
    for (const untilMs = performance.now() + LAST_LINES_MS; last.length > 0 && performance.now() < untilMs; ) {
      try {
        last = last.subarray(writeSync(fd, last));
      } catch {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LAST_LINES_RETRY_MS);
      }
    }
  });

  return {
    lost: () => lost,
    write(line) {
      if (waiting.length + line.length > MAX_WAITING_LENGTH) {
        lost++;
        return;
      }
      waiting += line;
      if (waiting.length > BUFFER_LENGTH && !isFailing) flush();
      else flushLater();
    },
  };
}

const lossLine = (lines: number): string =>
  `${JSON.stringify({ level: 40, time: new Date().toISOString(), lines, msg: 'log lines were lost: they could not be written' })}\n`;
