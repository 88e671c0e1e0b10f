import type { CombinedError } from 'urql';

import { toProblems } from './problem.ts';

interface ProblemsProps {
  readonly error: CombinedError | undefined;
  /** Tries again; absent where trying again could do something twice. */
  readonly retry?: (() => void) | undefined;
}

/** Says what went wrong, at once also to those who listen. */
export function Problems({ error, retry }: ProblemsProps) {
  if (error === undefined) return null;
  const problems = toProblems(error);
  return (
    <div className="problems" role="alert">
      {problems.map(({ text, reference }) => (
        <p key={text}>
          {text}
          {reference !== undefined && <small> Reference: {reference}</small>}
        </p>
      ))}
      {retry !== undefined && problems.some(({ isRetryable }) => isRetryable) && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}
