import type { Socket } from 'node:net';

import { type WireHead, type WireRequest, wholeRequest } from '../server/whole-request.ts';

/** Stands between a connection and its parser. */
export interface Door {
  /** Watches a connection from now on. */
  watch(socket: Socket): void;
}

interface DoorOptions {
  /** Whether everything may pass unseen. */
  readonly isOpen: () => boolean;
  /** Whether all that came on a connection so far has been answered, and something has. */
  readonly isIdle: (socket: Socket) => boolean;
  /** Whether a request may pass. */
  readonly mayPass: (request: WireRequest) => boolean;
  /** What one that may not is told. */
  readonly refusal: Buffer;
}

type Feed = (chunk: Buffer) => void;

/** The longest request whose head is remembered, to know it again. Every connection may hold one. */
const REMEMBERED_MAX_BYTES = 2_048;

/**
 * Makes the door at which a gateway with no room left turns requests away before they are parsed: that costs a tenth of
 * what a parsed one does, and many come when there is too much to do already. Only what is beyond doubt is turned away
 * here, one whole request on a connection where nothing else is under way; all else goes on to the parser.
 */
export function createDoor({ isOpen, isIdle, mayPass, refusal }: DoorOptions): Door {
  return {
    watch(socket) {
      // The server has one listener for what arrives. From now on it hears what the door lets through.
      const [parse] = socket.listeners('data') as Feed[];
      if (parse === undefined) return;
      let isBetweenRequests = true;
      let last: WireHead | undefined;

      const read = (chunk: Buffer): WireRequest | undefined => {
        const request = isBetweenRequests ? wholeRequest(chunk, last) : undefined;
        // Where a request does not end with the piece that brought it, nobody but the parser knows where the next begins.
        if (request === undefined) isBetweenRequests = false;
        if (chunk.length <= REMEMBERED_MAX_BYTES) last = request?.head;
        return request;
      };
      socket.off('data', parse);
      socket.on('data', (chunk: Buffer) => {
        const request = read(chunk);
        if (request !== undefined && !isOpen() && isIdle(socket) && !mayPass(request)) socket.write(refusal);
        else parse.call(socket, chunk);
      });
    },
  };
}
