/** Arguments or files that a command cannot use. Its message is for the person who gave them. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
