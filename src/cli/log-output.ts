import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** Where a log's lines go. */
export interface LogOutput extends DestinationStream {
  /** How many lines were lost, since they could not be written; absent where the process waits for each. */
  readonly lost?: () => number;
}

/** Standard output as a log's destination. Lines that are not written yet when the process exits are written then. */
export async function standardOutput({ isReadable }: { readonly isReadable: boolean }): Promise<LogOutput> {
  // Loaded only on a terminal, and optional: where it is not installed, lines are JSON there as well.
  const pretty = isReadable ? await import('pino-pretty').catch(() => undefined) : undefined;
  if (pretty === undefined) return createLogOutput(1);
  return pretty.build({
    destination: 1,
    // So that lines keep their place between those of commands.
    sync: true,
    hideObject: true,
    translateTime: 'SYS:HH:MM:ss',
    messageFormat: (line, _key, _level, { colors }) => {
      const [message, details] = line['msg'] === 'operation' ? formatOperation(line) : formatOther(line);
      // What a client or the platform has named must not move the cursor.
      const shown = details.replaceAll(/\p{Cc}/gu, ' ');
      return shown === '' ? message : `${message}  ${colors.gray(shown)}`;
    },
  });
}

type Formatted = readonly [message: string, details: string];

/** The log line of an operation, as `graphql/operations.ts` writes it. */
interface OperationLine {
  readonly operation?: string;
  readonly kind?: string;
  readonly durationMs?: number;
  readonly upstreamCalls?: number;
  readonly extensionCalls?: number;
  readonly outcome?: string;
  readonly codes?: readonly string[];
  readonly failures?: readonly Partial<Record<'operation' | 'status' | 'errorCode' | 'cause' | 'advice', unknown>>[];
  readonly refusal?: string;
}

/** `query Mine  ok  30 ms  1 call`, and why an operation failed. */
function formatOperation(line: OperationLine): Formatted {
  const { operation, kind = 'request', durationMs = 0, outcome, upstreamCalls, extensionCalls = 0 } = line;
  const { codes = [], failures = [], refusal = '' } = line;
  const causes = failures.map(({ operation, status, errorCode, cause, advice }) => [
    operation,
    status,
    errorCode,
    cause,
    advice,
  ]);
  const message = [
    operation === undefined ? kind : `${kind} ${operation}`,
    outcome,
    `${Math.round(durationMs)} ms`,
    `${upstreamCalls} ${upstreamCalls === 1 ? 'call' : 'calls'}`,
    ...(extensionCalls > 0 ? [`${extensionCalls} by extensions`] : []),
  ].join('  ');
  return [message, [...codes, ...causes.flat(), refusal].filter(Boolean).join(' ')];
}

function formatOther({
  level,
  time,
  msg,
  requestId,
  traceId,
  ...others
}: Readonly<Record<string, unknown>>): Formatted {
  return [String(msg), Object.keys(others).length === 0 ? '' : JSON.stringify(others)];
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
function createLogOutput(fd: number): LogOutput {
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
