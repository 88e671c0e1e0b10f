import type { IncomingMessage } from 'node:http';

/** Reads bodies before they are let in, to see whether they may ask for a change. */
export interface Peek {
  /**
   * Calls back with whether the body may hold a mutation, or `undefined` when that cannot be told: it is too long, too
   * many are held, or the client has gone. What was read is kept for `bodyOf`.
   */
  look(request: IncomingMessage, told: (isPossible: boolean | undefined) => void): void;
  /** Gives a body that was read already. */
  bodyOf(request: IncomingMessage): Buffer | undefined;
  /** Whether a body may ask for a change. */
  mayWrite(body: Buffer): boolean;
}

interface PeekOptions {
  /** The longest body that is read. */
  readonly maxBytes: number;
  /** How much is held at a time, for all. */
  readonly maxHeldBytes: number;
}

const KEYWORD = 'mutation';

export function createPeek({ maxBytes, maxHeldBytes }: PeekOptions): Peek {
  const bodies = new WeakMap<IncomingMessage, Buffer>();
  let heldBytes = 0;
  const mayWrite = (body: Buffer) => body.includes(KEYWORD);

  return {
    mayWrite,
    bodyOf: (request) => bodies.get(request),
    look(request, told) {
      const chunks: Buffer[] = [];
      let bytes = 0;

      const take = (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        heldBytes += chunk.length;
        if (bytes > maxBytes || heldBytes > maxHeldBytes) tell(undefined);
      };
      const tell = (isPossible: boolean | undefined) => {
        heldBytes -= bytes;
        request.off('data', take).off('end', end).off('close', leave);
        told(isPossible);
      };
      const end = () => {
        const body = Buffer.concat(chunks);
        const isPossible = mayWrite(body);
        if (isPossible) bodies.set(request, body);
        tell(isPossible);
      };
      const leave = () => tell(undefined);
      request.on('data', take).on('end', end).on('close', leave);
    },
  };
}
