/** What a command gets of its process. */
export interface Process {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What stands after the command's name. */
  readonly args: readonly string[];
  /** Its options, by name. */
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  /** Writes a line for people. */
  say(line: string): void;
  /** Writes a line about what is not as it should be, apart from what is asked for. */
  complain(line: string): void;
  /** Resolves when the process is asked to stop. */
  readonly stopped: Promise<void>;
}

/** One thing that the program does, until it is done or stopped. */
export interface Command {
  readonly name: string;
  /** How many words it takes after its name; none where absent. */
  readonly maxArgs?: number;
  /** What options it takes besides `--help`. */
  readonly options?: Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>;
  /** One line for `--help`. */
  readonly about: string;
  /** What `--help` says after its name; all commands and settings where absent. */
  readonly usage?: string;
  run(process: Process): Promise<void>;
}
