import type { Socket } from 'node:net';

import { type WireRequest, wholeRequest } from '../server/whole-request.ts';

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
      socket.off('data', parse);
      socket.on('data', (chunk: Buffer) => {
        const request = isBetweenRequests ? wholeRequest(chunk) : undefined;
        // Where a request does not end with the piece that brought it, nobody but the parser knows where the next begins.
        if (request === undefined) isBetweenRequests = false;
        else if (!isOpen() && isIdle(socket) && !mayPass(request)) return void socket.write(refusal);
        parse.call(socket, chunk);
      });
    },
  };
}
