import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

import { createFixedAnswer } from '../server/fixed-answer.ts';
import type { WireHead, WireRequest } from '../server/whole-request.ts';
import { callerIn, callerOf } from './applicant.ts';
import type { Applicant, Gate } from './gate.ts';
import type { Pace } from './pace.ts';
import type { Peek } from './peek.ts';

/** Lets requests in, or refuses them before they cost anything. */
export interface Admission {
  /** Serves what there is room for; all else is told by a 503 to come again. Health is always served. */
  guard(serve: RequestListener): RequestListener;
  /**
   * Settles the place of a request that was let in as a change by the look of its body. One that is none needs a place
   * among those that read. `false`: there is none.
   */
  confirm(request: IncomingMessage, isWrite: () => boolean): boolean;
  /** Whether there is room for a request that is not parsed yet. */
  mayPass(request: WireRequest): boolean;
  /** Whose request it is that is not parsed yet, by what it says. */
  callerOf(request: WireRequest): string;
  /** Whether a caller takes from others. */
  isGreedy(caller: string): boolean;
  /** Whether there is room for whatever comes. */
  isOpen(): boolean;
  /** What a request that there is no room for is told, as it goes over the wire of a connection that stays open. */
  readonly refusal: Buffer;
  /** Refuses a request that was let in and not confirmed. */
  refuse(request: IncomingMessage, response: ServerResponse): void;
}

interface AdmissionOptions {
  readonly gate: Gate;
  readonly peek: Peek;
  readonly pace: Pace;
  /** A body that is longer is not waited for when its request is refused; the connection ends instead. */
  readonly maxDrainedBytes: number;
}

const HEALTH: readonly unknown[] = ['/livez', '/readyz'];

export function createAdmission({ gate, peek, pace, maxDrainedBytes }: AdmissionOptions): Admission {
  const overloaded = createFixedAnswer({
    status: 503,
    code: 'OVERLOADED',
    message: 'The gateway has too much to do; nothing was done.',
    retryable: true,
    headers: { 'retry-after': '1' },
  });
  const asWrites = new WeakMap<IncomingMessage, Place>();
  const callers = new WeakMap<WireHead, string>();

  const refuse = (request: IncomingMessage, response: ServerResponse) => {
    // Node reads past a body that nobody read, so that the connection can be used again; but not past any body.
    const length = Number(request.headers['content-length'] ?? (request.headers['transfer-encoding'] ? Infinity : 0));
    overloaded.send(response, !request.complete && !(length <= maxDrainedBytes));
  };
  const callerAt = (head: WireHead): string => {
    const known = callers.get(head);
    if (known !== undefined) return known;
    const caller = callerIn(head.text);
    callers.set(head, caller);
    return caller;
  };
  const letIn = (response: ServerResponse, leave: () => void): Place => {
    const place = { leave };
    response.once('close', () => place.leave());
    return place;
  };

  return {
    guard: (serve) => (request, response) => {
      if (HEALTH.includes(request.url)) return serve(request, response);
      const caller = callerOf(request.headers);
      const read: Applicant = { work: 'read', caller };
      const leave = gate.enter(read);
      if (leave) {
        letIn(response, leave);
        return pace.begin(response, read, () => serve(request, response));
      }
      const write: Applicant = { work: 'write', caller };
      if (request.method !== 'POST' || !gate.hasRoom(write)) return refuse(request, response);
      peek.look(request, (isPossible) => {
        const enter = isPossible ? gate.enter(write) : undefined;
        if (!enter) return refuse(request, response);
        asWrites.set(request, letIn(response, enter));
        pace.begin(response, write, () => serve(request, response));
      });
    },
    confirm(request, isWrite) {
      const place = asWrites.get(request);
      if (place === undefined || isWrite()) return true;
      place.leave();
      const leave = gate.enter({ work: 'read', caller: callerOf(request.headers) });
      if (leave) place.leave = leave;
      return leave !== undefined;
    },
    mayPass({ head, body }) {
      const caller = callerAt(head);
      if (gate.hasRoom({ work: 'read', caller })) return true;
      return peek.mayWrite(body) && gate.hasRoom({ work: 'write', caller });
    },
    callerOf: ({ head }) => callerAt(head),
    isGreedy: gate.isGreedy,
    isOpen: gate.isOpen,
    refusal: overloaded.bytes,
    refuse,
  };
}

interface Place {
  leave: () => void;
}
