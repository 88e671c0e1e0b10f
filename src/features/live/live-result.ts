import type { StaleRead } from '../../cache/stats.ts';
import type { Framing } from './framing.ts';

const MINUTE_MS = 60_000;

/** The present result of an operation, as its streams get it. */
export class LiveResult {
  #json = '';
  /** It may say that it is stale. */
  #shown = '';
  readonly #buffers = new Map<Framing, Buffer>();

  /** Whether there is one. */
  get isThere(): boolean {
    return this.#shown !== '';
  }

  get length(): number {
    return this.#shown.length;
  }

  /** Takes a result in place of the last, or the last where none is given. @returns whether the text is another now. */
  set(stale: readonly StaleRead[], json = this.#json): boolean {
    this.#json = json;
    const shown = stale.length === 0 ? json : withStale(json, stale);
    if (shown === this.#shown) return false;
    this.#shown = shown;
    this.#buffers.clear();
    return true;
  }

  /** All streams of one framing share the bytes. */
  bytesFor(framing: Framing): Buffer {
    const buffer = this.#buffers.get(framing) ?? framing.result(this.#shown);
    this.#buffers.set(framing, buffer);
    return buffer;
  }
}

/** Says that a result may be out of date; rounded, so that it is said once. */
function withStale(json: string, stale: readonly StaleRead[]): string {
  const { extensions, ...result } = JSON.parse(json);
  const said = stale.map(({ operation, ageMs }) => ({ operation, ageMs: Math.floor(ageMs / MINUTE_MS) * MINUTE_MS }));
  return JSON.stringify({ ...result, extensions: { ...extensions, stale: said } });
}
