import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DestinationStream } from 'pino';
import sonicBoom from 'sonic-boom';

import { codeOf } from '../core/errors.ts';
import type { OperationReport } from '../core/observers.ts';

/**
 * The destination of log lines. The optional members are absent if each line is written
 * synchronously.
 */
interface LogOutput extends DestinationStream {
  /** Returns the number of lost lines. */
  readonly lost?: () => number;
  /** Resolves when the last lines are written, or have failed. */
  readonly drain?: () => Promise<void>;
}

/**
 * Returns standard output as the destination of log lines. With `isReadable` it formats the lines
 * for people.
 */
export async function standardOutput({
  isReadable,
}: {
  readonly isReadable: boolean;
}): Promise<LogOutput> {
  // The package is optional, and loaded only on a terminal. If it is not installed, lines are JSON
  // there, too.
  const pretty = isReadable ? await import('pino-pretty').catch(() => undefined) : undefined;
  if (pretty === undefined) return createLogOutput(1);
  return pretty.build({
    destination: 1,
    // Synchronous, so that log lines and the output of commands keep their order.
    sync: true,
    hideObject: true,
    // pino-pretty would print it before each message.
    ignore: 'caller',
    translateTime: 'SYS:HH:MM:ss',
    messageFormat: (line, _key, _level, { colors }) => {
      const [message, details] =
        line['msg'] === 'operation' ? formatOperation(line) : formatOther(line);
      // Control characters in names that clients or the platform chose must not move the cursor.
      const shown = details.replaceAll(/\p{Cc}/gu, ' ');
      return shown === '' ? message : `${message}  ${colors.gray(shown)}`;
    },
  });
}

/** The message of a line, and the details that follow it in grey. */
type Formatted = readonly [message: string, details: string];

/** The log line of an operation, as `graphql/operations.ts` writes it. */
interface OperationLine extends Partial<Pick<OperationReport, Reported>> {
  readonly operation?: string;
  readonly failures?: readonly Partial<Record<(typeof SHOWN)[number], unknown>>[];
  readonly refusal?: string;
}

type Reported = 'kind' | 'durationMs' | 'upstreamCalls' | 'extensionCalls' | 'outcome' | 'codes';

const SHOWN = ['operation', 'status', 'errorCode', 'cause', 'advice'] as const;

/**
 * Formats an operation, such as `query Mine  ok  30 ms  1 call`, followed by the reasons of a
 * failure.
 */
function formatOperation(line: OperationLine): Formatted {
  const {
    operation = '',
    kind = 'request',
    durationMs = 0,
    upstreamCalls,
    extensionCalls,
    codes = [],
  } = line;
  const causes = (line.failures ?? []).flatMap((failure) => SHOWN.map((name) => failure[name]));
  const message = [
    `${kind} ${operation}`.trim(),
    line.outcome,
    `${Math.round(durationMs)} ms`,
    `${upstreamCalls} ${upstreamCalls === 1 ? 'call' : 'calls'}`,
    extensionCalls && `${extensionCalls} by extensions`,
  ];
  const details = [...codes, ...causes, line.refusal];
  return [message.filter(Boolean).join('  '), details.filter(Boolean).join(' ')];
}

function formatOther(line: Readonly<Record<string, unknown>>): Formatted {
  const { level, time, msg, requestId, traceId, ...others } = line;
  return [String(msg), Object.keys(others).length === 0 ? '' : JSON.stringify(others)];
}

/**
 * Lines are written in batches of this many bytes, or after this many milliseconds. A single write
 * costs more than a whole answer.
 */
const BUFFER_BYTES = 16_000;
const FLUSH_MS = 100;
/** The maximum number of bytes that wait for a slow reader. Further lines are lost. */
const MAX_WAITING_BYTES = 250_000;
/** How long an ending process tries to write its last lines, in milliseconds. */
const LAST_LINES_MS = 500;

/**
 * Creates a destination that writes to a file descriptor in the background. If writing fails,
 * because the disk is full or the reader is gone, lines are lost and counted.
 */
function createLogOutput(fd: number): LogOutput {
  let lost = 0;
  let isLosing = false;
  let isEnded = false;
  // `pino.destination` would add a listener that drops all lines, uncounted, once a reader is gone,
  // and an exit handler that retries without end.
  const destination = new sonicBoom.SonicBoom({
    fd,
    sync: false,
    minLength: BUFFER_BYTES,
    maxLength: MAX_WAITING_BYTES,
    periodicFlush: FLUSH_MS,
    // pino's own retries would keep the process running until someone reads the lines.
    retryEAGAIN: () => false,
  });
  destination.on('error', (error) => {
    isLosing = codeOf(error) !== 'EAGAIN';
  });
  destination.on('drop', () => lost++);
  destination.on('drain', () => {
    isLosing = false;
  });
  return {
    lost: () => lost,
    write(line) {
      // A timer may log after the last lines. The destination would throw.
      if (isLosing || isEnded) lost++;
      else destination.write(line);
    },
    async drain() {
      isEnded = true;
      const closed = once(destination, 'close');
      destination.end();
      await Promise.race([closed, sleep(LAST_LINES_MS)]).catch(() => undefined);
      destination.destroy();
    },
  };
}
