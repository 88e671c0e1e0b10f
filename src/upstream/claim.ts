import { type Interceptor, untilEnd } from './call.ts';

/** Takes the claim of a call that has one. */
export const claim: Interceptor = (next) => (call) =>
  call.claim ? untilEnd(call.claim.acquire(), call).then(() => next(call)) : next(call);
