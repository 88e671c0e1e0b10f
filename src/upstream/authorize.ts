import { normaliseStatus } from './answer.ts';
import { type Call, type HttpResponse, type Interceptor, isConditional, isRead, type Send, untilEnd } from './call.ts';
import type { Dialect } from './dialect.ts';
import type { Token, TokenSource } from './token-source.ts';

/**
 * Sends calls with the token of their identity. A 401 is answered by one repeat with a new token: it means that the upstream did
 * not act, so the repeat is safe even for a POST. So is a 304 to a read without a condition.
 */
export function createAuthorize(tokens: TokenSource, dialect: Dialect): Interceptor {
  const currentToken = (call: Call): Token | Promise<Token> => {
    const token = tokens.current();
    return token instanceof Promise ? untilEnd(token, call) : token;
  };

  const sendWith = ({ authorization }: Token, next: Send, call: Call): Promise<HttpResponse> => {
    call.headers['authorization'] = authorization;
    call.sent++;
    return next(call).then((response) => normaliseStatus(response, dialect));
  };
  const send = async (next: Send, call: Call): Promise<HttpResponse> => {
    const current = currentToken(call);
    const token = current instanceof Promise ? await current : current;
    const response = await sendWith(token, next, call);
    const isStray304 = response.status === 304 && isRead(call) && !isConditional(call);
    if (isStray304 && call.sent === 1) return send(next, call);
    if (response.status !== 401) return response;
    tokens.discard(token);
    const newer = await currentToken(call);
    if (newer === token) return response;
    const repeated = await sendWith(newer, next, call);
    if (repeated.status === 401) tokens.discard(newer);
    return repeated;
  };
  return (next) => (call) => send(next, call);
}
