import { writeFileSync } from 'node:fs';

import type { Environment } from '../config/load.ts';
import { codeOrMessage } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { SchemaVersion } from '../graphql/apollo-server.ts';

/** The signals that the process receives while it runs. */
export interface Signals {
  /** Calls the listener at each SIGHUP, the request to reopen log files or to read files again. */
  onHangup(listener: () => void): void;
}

/** The process, as a command sees it. */
export interface CommandContext {
  readonly env: Environment;
  /** The words after the command's name. */
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  readonly isTerminal: boolean;
  stdout(line: string): void;
  stderr(line: string): void;
  /** Resolves when the process receives a signal to stop. */
  readonly stopped: Promise<void>;
  readonly signals: Signals;
  /**
   * Returns the schema version that a gateway of these settings serves, with the forms of the platform, of the file of
   * `--snapshot`, or of the sandbox where no platform is set. Warns of each form that stays generic.
   *
   * @param env instead of the process's.
   * @throws {ConfigError} for settings that cannot be used.
   * @throws {Error} where the definitions cannot be read.
   */
  readGraph(env?: Environment): Promise<SchemaVersion>;
  /**
   * Starts a gateway with these settings next to other gateways on the machine. Its warnings go to
   * standard error.
   *
   * @throws {ConfigError} for settings that cannot be used.
   */
  startGateway(env: Environment): Promise<{ readonly url: string; close(): Promise<void> }>;
}

export interface Command {
  readonly name: string;
  /** The maximum number of words after its name. Default: 0. */
  readonly maxArgs?: number;
  /** Its options besides `--help`. */
  readonly options?: Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>;
  /** Whether it reads the schema, and so has the option `--snapshot`. */
  readonly readsSchema?: boolean;
  /** One line for `--help`. */
  readonly summary: string;
  /** The text of `--help` for this command. Default: the list of all commands and settings. */
  readonly usage?: string;
  /** Runs the command. Resolves when it is done or stopped. */
  run(context: CommandContext): Promise<void>;
}

/**
 * Arguments or files that a command cannot use. The message is written for the person who typed
 * them.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Writes JSON to a file. With `isNew` the file must not exist. @throws {UsageError} if that fails. */
export function writeJson(file: string, content: JsonObject, { isNew = false } = {}): void {
  try {
    const text = `${JSON.stringify(content, undefined, 2)}\n`;
    writeFileSync(file, text, { flag: isNew ? 'wx' : 'w' });
  } catch (error) {
    throw new UsageError(`cannot write ${file}: ${codeOrMessage(error)}`);
  }
}
