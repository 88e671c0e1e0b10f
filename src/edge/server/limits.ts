/** What the HTTP server takes from its clients. All times in milliseconds. */
export interface ServerLimits {
  /** From the connection to the first byte, and from there to the end of the head. */
  readonly headersTimeoutMs: number;
  /** The same to the end of the body. */
  readonly receiveTimeoutMs: number;
  /** How long a connection may stay idle between two requests. */
  readonly keepAliveTimeoutMs: number;
  /** How long a client may take no byte of an answer that is due. */
  readonly stalledAfterMs: number;
  /** How long a client may take to read an answer. */
  readonly sendTimeoutMs: number;
  readonly maxConnections: number;
  readonly maxRequestsPerConnection: number;
}

/** How long a head may take, which is no longer than all of its request may, in milliseconds. */
export const headTimeoutMs = ({ headersTimeoutMs, receiveTimeoutMs }: ServerLimits): number =>
  Math.min(headersTimeoutMs, receiveTimeoutMs);
