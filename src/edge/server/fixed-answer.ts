import { type ServerResponse, STATUS_CODES } from 'node:http';

/** An answer that is the same for everybody, so that giving it costs next to nothing. */
export interface FixedAnswer {
  /** Answers a request. The connection is closed afterwards where `isLast` says so. */
  send(response: ServerResponse, isLast?: boolean): void;
  /** The whole of it as it goes over the wire of a connection that stays open. */
  readonly bytes: Buffer;
  /** The same for a connection that is closed afterwards. */
  readonly lastBytes: Buffer;
}

interface Wording {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Words an answer as the graph words its errors. */
export function createFixedAnswer({ status, code, message, retryable, headers }: Wording): FixedAnswer {
  const body = Buffer.from(`${JSON.stringify({ errors: [{ message, extensions: { code, retryable } }] })}\n`);
  const head = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(body.length),
    'cache-control': 'no-store',
    vary: 'Authorization, Cookie',
    'x-content-type-options': 'nosniff',
    ...headers,
  };
  const wire = (headers: Readonly<Record<string, string>>) => {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`), body]);
  };
  return {
    send(response, isLast = false) {
      if (isLast) response.shouldKeepAlive = false;
      response.writeHead(status, head).end(body);
    },
    bytes: wire(head),
    lastBytes: wire({ ...head, connection: 'close' }),
  };
}
