/** Names everything that is wrong with a folder of definitions, so that one round of edits mends it all. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError';
  /** One line each, "file:line: what is wrong", the file relative to the folder. */
  readonly problems: readonly string[];

  constructor(folder: string, problems: readonly string[]) {
    super(`The definitions in ${folder} cannot be used:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}
