import type { ErrorLike } from '@apollo/client';
import { useEffect, useState } from 'react';

import { toProblems } from './errors.ts';

interface ProblemsProps {
  readonly error: ErrorLike | undefined;
  /** Sends the same request again. Absent if that could repeat a change. */
  readonly retry?: (() => void) | undefined;
}

/** Errors, which screen readers read aloud at once. */
export function Problems({ error, retry }: ProblemsProps) {
  if (error === undefined) return null;
  const problems = toProblems(error);
  const waitMs = Math.max(...problems.map(({ retryAfterMs }) => retryAfterMs));
  return (
    <div className="problems" role="alert">
      {problems.map(({ text, requestId }) => (
        <p key={text}>
          {text}
          {requestId !== undefined && <small> Reference: {requestId}</small>}
        </p>
      ))}
      {retry !== undefined && problems.some(({ isRetryable }) => isRetryable) && (
        <RetryButton key={waitMs} waitMs={waitMs} retry={retry} />
      )}
    </div>
  );
}

/** A button that is enabled after the wait. */
function RetryButton({ waitMs, retry }: { readonly waitMs: number; readonly retry: () => void }) {
  const [isWaiting, setIsWaiting] = useState(waitMs > 0);
  useEffect(() => {
    const timer = setTimeout(() => setIsWaiting(false), waitMs);
    return () => clearTimeout(timer);
  }, [waitMs]);
  return (
    <button type="button" onClick={retry} disabled={isWaiting}>
      Try again
    </button>
  );
}
