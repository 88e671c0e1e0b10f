import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DestinationStream } from 'pino';
import sonicBoom from 'sonic-boom';

import { codeOf } from '../core/errors.ts';
import type { OperationReport } from '../core/observers.ts';

/** Where a log's lines go. What is optional is absent where the process waits for each line. */
interface LogOutput extends DestinationStream {
  /** How many lines were lost, since they could not be written. */
  readonly lost?: () => number;
  /** Resolves when the last lines are written, or cannot be. */
  readonly drain?: () => Promise<void>;
}

/** Standard output as a log's destination. */
export async function standardOutput({
  isReadable,
}: {
  readonly isReadable: boolean;
}): Promise<LogOutput> {
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
      const [message, details] =
        line['msg'] === 'operation' ? formatOperation(line) : formatOther(line);
      // What a client or the platform has named must not move the cursor.
      const shown = details.replaceAll(/\p{Cc}/gu, ' ');
      return shown === '' ? message : `${message}  ${colors.gray(shown)}`;
    },
  });
}

/** A line's message, and what is shown in grey behind it. */
type Formatted = readonly [message: string, details: string];

/** The log line of an operation, as `graphql/operations.ts` writes it. */
interface OperationLine extends Partial<Pick<OperationReport, Reported>> {
  readonly operation?: string;
  readonly failures?: readonly Partial<Record<(typeof SHOWN)[number], unknown>>[];
  readonly refusal?: string;
}

type Reported = 'kind' | 'durationMs' | 'upstreamCalls' | 'extensionCalls' | 'outcome' | 'codes';

const SHOWN = ['operation', 'status', 'errorCode', 'cause', 'advice'] as const;

/** `query Mine  ok  30 ms  1 call`, and why an operation failed. */
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

/** Lines are written together, after so many bytes or milliseconds: each write costs more than a whole answer. */
const BUFFER_BYTES = 16_000;
const FLUSH_MS = 100;
/** Lines wait up to so many bytes for a slow reader; more are lost. */
const MAX_WAITING_BYTES = 250_000;
/** How long an ending process tries to write its last lines. */
const LAST_LINES_MS = 500;

/** Writes lines to a file descriptor in the background. While that fails (a full disk, a reader that is gone) they are lost, and counted. */
function createLogOutput(fd: number): LogOutput {
  let lost = 0;
  let isLosing = false;
  // `pino.destination` would add a listener that drops all lines, uncounted, once a reader is gone,
  // and an exit handler that retries without end.
  const destination = new sonicBoom.SonicBoom({
    fd,
    sync: false,
    minLength: BUFFER_BYTES,
    maxLength: MAX_WAITING_BYTES,
    periodicFlush: FLUSH_MS,
    // Its own retries would keep the process alive for as long as nobody reads.
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
      if (isLosing) lost++;
      else destination.write(line);
    },
    async drain() {
      const closed = once(destination, 'close');
      destination.end();
      await Promise.race([closed, sleep(LAST_LINES_MS)]).catch(() => undefined);
      destination.destroy();
    },
  };
}
