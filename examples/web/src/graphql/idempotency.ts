import { CombinedGraphQLErrors, type ErrorLike } from '@apollo/client';
import { useRef } from 'react';

/**
 * Idempotency keys of the changes that one form sends. The same values get the same key until an answer has come: so a user
 * who saves again after the connection broke changes nothing twice.
 */
export function useIdempotencyKey() {
  const unanswered = useRef<{ readonly text: string; readonly key: string }>(undefined);
  return {
    keyOf(values: unknown): string {
      const text = JSON.stringify(values);
      if (unanswered.current?.text !== text) unanswered.current = { text, key: crypto.randomUUID() };
      return unanswered.current.key;
    },
    /** Forgets the key of a change that was answered, by an error too: with the same key the answer would stay the same. */
    settle(error: ErrorLike | undefined): void {
      if (error === undefined || CombinedGraphQLErrors.is(error)) unanswered.current = undefined;
    },
  };
}
