import { connect } from 'node:net';

/** A complete HTTP response. It has only the members that a load needs. */
export interface Response {
  readonly status: number;
  readonly hasRetryAfter: boolean;
  /** Whether the server closes the connection after this response. */
  readonly isLast: boolean;
  readonly body: string;
}

/**
 * The end of a request: a complete response with any status, or one of these.
 * - `reset`: the server closed the connection first.
 * - `unreachable`: the server did not accept the connection.
 * - `unsent`: the client gave up before the connection was open.
 * - `unanswered`: the client gave up after sending the request.
 */
export type RequestEnd = Response | 'reset' | 'unreachable' | 'unsent' | 'unanswered';

/** A kept-alive connection that carries one request at a time. */
export interface Connection {
  send(request: string, onEnd: (end: RequestEnd) => void): void;
  /** Closes the connection from the client's side. */
  close(): void;
  isConnected(): boolean;
}

/** The connections of one client. They are opened on demand, up to a limit, and reused. */
export interface ConnectionPool {
  /**
   * Returns the most recently used free connection, or a new one. Returns `undefined` if all are
   * busy and the limit is reached.
   */
  acquire(): Connection | undefined;
  /** Takes back a connection, unless it has closed in the meantime. */
  release(connection: Connection): void;
  /** Opens connections up to the limit. Resolves when they are connected or have failed. */
  fill(): Promise<void>;
  closeAll(): void;
  /**
   * Returns the number of opened connections, and how many of them the client closed before their
   * response.
   */
  counts(): { readonly opened: number; readonly abandoned: number };
}

export function createConnectionPool(
  port: number,
  maxConnections: number,
  localAddress?: string,
): ConnectionPool {
  const open = new Set<Connection>();
  const idle: Connection[] = [];
  let opened = 0;
  let abandoned = 0;
  // All connections share this buffer, since Node passes the bytes on as soon as it has read them.
  const buffer = Buffer.allocUnsafe(65_536);

  const add = (onConnected: () => void = () => undefined): Connection => {
    opened++;
    const onClosed = (isAbandoned: boolean) => {
      if (isAbandoned) abandoned++;
      onConnected();
      open.delete(connection);
      const at = idle.indexOf(connection);
      if (at !== -1) idle.splice(at, 1);
    };
    const connection = openConnection({ port, localAddress }, buffer, { onConnected, onClosed });
    open.add(connection);
    return connection;
  };

  return {
    acquire: () => idle.pop() ?? (open.size < maxConnections ? add() : undefined),
    release(connection) {
      if (open.has(connection)) idle.push(connection);
    },
    async fill() {
      const connected = Array.from(
        { length: maxConnections - open.size },
        () => new Promise<void>((resolve) => idle.push(add(resolve))),
      );
      await Promise.all(connected);
    },
    closeAll() {
      for (const connection of open) connection.close();
    },
    counts: () => ({ opened, abandoned }),
  };
}

interface Addresses {
  readonly port: number;
  readonly localAddress: string | undefined;
}

interface ConnectionEvents {
  readonly onConnected: () => void;
  /** @param isAbandoned whether the client closed it during a request. */
  readonly onClosed: (isAbandoned: boolean) => void;
}

function openConnection(
  addresses: Addresses,
  buffer: Buffer,
  { onConnected, onClosed }: ConnectionEvents,
): Connection {
  const reader = createResponseReader();
  let waiting: ((end: RequestEnd) => void) | undefined;
  let isConnected = false;
  let isClosed = false;

  const settle = (end: RequestEnd) => {
    const onEnd = waiting;
    waiting = undefined;
    onEnd?.(end);
  };
  const read = (bytes: number) => {
    const response = reader(buffer.subarray(0, bytes));
    if (response?.isLast) {
      isClosed = true;
      onClosed(false);
      socket.destroy();
    }
    if (response !== undefined) settle(response);
    return true;
  };
  const close = (end: RequestEnd, isAbandoned = false) => {
    if (isClosed) return;
    isClosed = true;
    onClosed(isAbandoned);
    settle(end);
  };
  const socket = connect({
    ...addresses,
    host: '127.0.0.1',
    noDelay: true,
    onread: { buffer, callback: read },
  });
  socket.on('connect', () => {
    isConnected = true;
    onConnected();
  });
  for (const event of ['error', 'end', 'close']) {
    socket.on(event, () => close(isConnected ? 'reset' : 'unreachable'));
  }

  return {
    send(request, onEnd) {
      waiting = onEnd;
      if (isClosed) settle('reset');
      else socket.write(request, 'latin1');
    },
    close() {
      close(isConnected ? 'unanswered' : 'unsent', waiting !== undefined);
      socket.destroy();
    },
    isConnected: () => isConnected,
  };
}

/**
 * Returns a function that collects the bytes of one connection and returns each complete response.
 * It does as little work as possible. The bytes may be overwritten after each call.
 */
export function createResponseReader(): (bytes: Buffer) => Response | undefined {
  let text = '';
  return (bytes) => {
    text += bytes.toString('latin1');
    const headEnd = text.indexOf('\r\n\r\n');
    if (headEnd === -1) return undefined;
    const head = text.slice(0, headEnd).toLowerCase();
    const end = endOfBody(text, head, headEnd + 4);
    if (end === undefined) return undefined;
    const body = text.slice(headEnd + 4, end);
    text = text.slice(end);
    return {
      status: Number(head.slice(9, 12)),
      hasRetryAfter: head.includes('\r\nretry-after:'),
      isLast: head.includes('\r\nconnection: close'),
      body,
    };
  };
}

function endOfBody(text: string, head: string, start: number): number | undefined {
  const at = head.indexOf('\r\ncontent-length:');
  if (at !== -1) {
    const end = start + Number.parseInt(head.slice(at + 17), 10);
    return text.length < end ? undefined : end;
  }
  if (!head.includes('\r\ntransfer-encoding: chunked')) return start;
  const last = text.indexOf('0\r\n\r\n', start);
  return last === -1 ? undefined : last + 5;
}
