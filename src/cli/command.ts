import type { Environment } from '../config/load.ts';
import { createLog, type Log } from '../telemetry/log.ts';

/** What a command gets of its process. */
export interface CommandContext {
  readonly env: Environment;
  /** The words after the command's name. */
  readonly args: readonly string[];
  /** Its options, by name. */
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean;
  /** Writes a line to standard output. */
  stdout(line: string): void;
  /** Writes a line to standard error. */
  stderr(line: string): void;
  /** Resolves when the process is asked to stop. */
  readonly stopped: Promise<void>;
}

export interface Command {
  readonly name: string;
  /** How many words it takes after its name; none where absent. */
  readonly maxArgs?: number;
  /** Its options besides `--help`. */
  readonly options?: Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>;
  /** One line for `--help`. */
  readonly summary: string;
  /** What `--help` after its name prints; all commands and settings where absent. */
  readonly usage?: string;
  /** Runs until it is done or stopped. */
  run(context: CommandContext): Promise<void>;
}

/** Arguments or files that a command cannot use. Its message is for the person who gave them. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

interface LogLine {
  readonly msg?: string;
  readonly form?: string;
  readonly field?: string;
  readonly reason?: string;
}

/** A log whose warnings are sentences on standard error, for commands that people run. */
export function createConsoleLog({ stderr }: Pick<CommandContext, 'stderr'>): Log {
  return createLog('warn', { write: (line) => stderr(sentence(JSON.parse(line))) });
}

function sentence({ msg = 'an unknown problem', form, field, reason }: LogLine): string {
  const place = [form, field && `its field ${field}`].filter(Boolean).join(', ');
  return `Warning: ${msg}${place && ` (${place})`}${reason === undefined ? '' : `: ${reason}`}.`;
}
