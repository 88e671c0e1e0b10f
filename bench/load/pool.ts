import { type Connection, createBuffer, openConnection } from './connection.ts';

/** A client's connections: as many as it needs at once, up to a limit, used again and again. */
export interface Pool {
  /** Gives a free connection, the one used last first; `undefined` when all are busy and there may be no more. */
  take(): Connection | undefined;
  /** Takes a connection back; one that has closed in the meantime is not kept. */
  give(connection: Connection): void;
  closeAll(): void;
}

export function createPool(port: number, maxConnections: number): Pool {
  const open = new Set<Connection>();
  const idle: Connection[] = [];
  const buffer = createBuffer();

  const add = (): Connection => {
    const onClosed = () => {
      open.delete(connection);
      const at = idle.indexOf(connection);
      if (at !== -1) idle.splice(at, 1);
    };
    const connection = openConnection(port, onClosed, buffer);
    open.add(connection);
    return connection;
  };

  return {
    take: () => idle.pop() ?? (open.size < maxConnections ? add() : undefined),
    give(connection) {
      if (open.has(connection)) idle.push(connection);
    },
    closeAll() {
      for (const connection of open) connection.close();
    },
  };
}
