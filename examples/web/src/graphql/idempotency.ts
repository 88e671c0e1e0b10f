import { CombinedGraphQLErrors, type ErrorLike } from '@apollo/client';
import { useRef } from 'react';

/**
 * Creates the idempotency keys of a form. The same values get the same key until a response
 * arrives, so saving again after a lost connection changes nothing twice.
 */
export function useIdempotencyKey() {
  const unanswered = useRef<{ readonly text: string; readonly key: string }>(undefined);
  return {
    keyOf(values: unknown): string {
      const text = JSON.stringify(values);
      if (unanswered.current?.text !== text)
        unanswered.current = { text, key: crypto.randomUUID() };
      return unanswered.current.key;
    },
    /**
     * Forgets the key of a change after a response, also after an error: with the same key the
     * response would stay the same.
     */
    settle(error: ErrorLike | undefined): void {
      if (error === undefined || CombinedGraphQLErrors.is(error)) unanswered.current = undefined;
    },
  };
}
