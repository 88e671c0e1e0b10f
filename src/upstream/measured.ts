import { UpstreamError } from './errors.ts';
import type { Exchanger } from './exchange.ts';

/** Told of each request that has ended: by its status, or by its failure where there was no whole answer. */
type Told = (call: { readonly operation: string; readonly ended: string; readonly durationMs: number }) => void;

/** Puts a measure before the function that speaks HTTP. */
export function measured(exchange: Exchanger, told: Told | undefined): Exchanger {
  if (told === undefined) return exchange;
  return async (asked) => {
    const { operation } = asked;
    const startedAtMs = performance.now();
    const end = (ended: string) => told({ operation, ended, durationMs: performance.now() - startedAtMs });
    try {
      const answer = await exchange(asked);
      end(String(answer.status));
      return answer;
    } catch (error) {
      end(error instanceof UpstreamError ? error.failure : 'unknown');
      throw error;
    }
  };
}
