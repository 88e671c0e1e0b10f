import type { Environment } from '../config/load.ts';
import type { SchemaVersion } from '../graphql/apollo-server.ts';

/** What the process is asked to do while it runs. */
export interface Signals {
  /** Calls a listener at each SIGHUP, which asks for files to be opened or read again. */
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
   * Starts a gateway of these settings beside others on the machine. Its warnings go to standard error.
   *
   * @throws {ConfigError} for settings that cannot be used.
   */
  startGateway(env: Environment): Promise<{ readonly url: string; close(): Promise<void> }>;
}

export interface Command {
  readonly name: string;
  /** How many words it takes after its name; none where absent. */
  readonly maxArgs?: number;
  /** Its options besides `--help`. */
  readonly options?: Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>;
  /** Whether it reads the schema, and so has the option `--snapshot`. */
  readonly readsSchema?: boolean;
  /** One line for `--help`. */
  readonly summary: string;
  /** The text of `--help` after its name; all commands and settings where absent. */
  readonly usage?: string;
  /** Runs until it is done or stopped. */
  run(context: CommandContext): Promise<void>;
}

/** Arguments or files that a command cannot use. Its message is for the person who gave them. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
