import { type DestinationStream, pino } from 'pino';

import { codeOf, orUndefined } from '../core/errors.ts';

/** Where a log's lines go. What is optional is absent where the process waits for each line. */
interface LogOutput extends DestinationStream {
  /** How many lines were lost, since they could not be written. */
  readonly lost?: () => number;
  /** Resolves when the last lines are written, or cannot be. */
  readonly drain?: () => Promise<void>;
}

/** Standard output as a log's destination. */
export async function standardOutput({ isReadable }: { readonly isReadable: boolean }): Promise<LogOutput> {
  // Loaded only on a terminal, and optional: where it is not installed, lines are JSON there as well.
  const pretty = isReadable ? await import('pino-pretty').catch(() => undefined) : undefined;
  if (pretty === undefined) return createLogOutput(1);
  return pretty.build({
    destination: 1,
    // So that lines keep their place between those of commands.
    sync: true,
    hideObject: true,
    // pino-pretty would put it before each message.
    ignore: 'caller',
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

/** Lines are written together, after so many bytes or milliseconds: each write costs more than a whole answer. */
const BUFFER_BYTES = 16_000;
const FLUSH_MS = 100;
/** Lines wait up to so many bytes for a slow reader; more are lost. */
const MAX_WAITING_BYTES = 250_000;
/** How long an ending process tries to write its last lines. */
const LAST_LINES_MS = 500;

/**
 * Writes lines to a file descriptor in the background. Where that fails (a full disk, a reader that is gone) lines are lost,
 * and those that wait already are tried again with each flush, of which there are none while no line waits. Once it succeeds, a line says how many were lost meanwhile.
 */
function createLogOutput(fd: number): LogOutput {
  let lost = 0;
  let reported = 0;
  let waitingBytes = 0;
  let flushes: NodeJS.Timeout | undefined;
  let isWritable = false;
  let isLosing = false;
  let isEnding = false;
  const destination = pino.destination({
    dest: fd,
    sync: false,
    minLength: BUFFER_BYTES,
    maxLength: MAX_WAITING_BYTES,
    // Text would be measured again with each line.
    contentMode: 'buffer',
    // Its own retries would keep the process alive for as long as nobody reads.
    retryEAGAIN: () => false,
  });
  // The types know the mode for text alone.
  const write = (line: string) => {
    const bytes = Buffer.from(line);
    waitingBytes += bytes.length;
    flushes ??= setInterval(() => destination.flush(), FLUSH_MS).unref();
    destination.write(bytes as unknown as string);
  };
  const stopFlushes = () => {
    clearInterval(flushes);
    flushes = undefined;
  };
  // pino's listener drops all lines, uncounted, once a reader is gone.
  destination.removeAllListeners('error');
  destination.on('error', (error) => {
    isWritable = false;
    isLosing = codeOf(error) !== 'EAGAIN';
  });
  destination.on('drop', ({ length }) => {
    lost++;
    waitingBytes -= length;
  });
  destination.on('write', (bytes) => {
    waitingBytes -= bytes;
    if (waitingBytes === 0) stopFlushes();
  });
  destination.on('drain', () => {
    isWritable = true;
    isLosing = false;
    if (lost === reported) return;
    write(lossLine(lost - reported));
    reported = lost;
  });
  // When a process crashes pino writes what is left, and never gives up.
  process.prependOnceListener('exit', () => {
    if (isWritable) orUndefined(() => destination.flushSync());
    destination.destroy();
  });

  return {
    lost: () => lost,
    write(line) {
      if (isLosing || isEnding) lost++;
      else write(line);
    },
    drain: () =>
      new Promise((resolve) => {
        isEnding = true;
        const timer = setTimeout(() => {
          stopFlushes();
          destination.destroy();
        }, LAST_LINES_MS);
        destination.once('close', () => {
          clearTimeout(timer);
          resolve();
        });
        destination.end();
      }),
  };
}

const lossLine = (lines: number): string =>
  `${JSON.stringify({ level: 40, time: new Date().toISOString(), lines, msg: 'log lines were lost: they could not be written' })}\n`;
