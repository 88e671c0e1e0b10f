/**
 * A process of its own, for an image without a shell: ends with 0 when the gateway in the same container is alive.
 * It asks for liveness alone, since restarting the gateway does not mend an upstream that is down.
 */
const TIMEOUT_MS = 2_000;
const PORT = process.env['PORT'] || '4000';

const isAlive = await fetch(`http://127.0.0.1:${PORT}/livez`, { signal: AbortSignal.timeout(TIMEOUT_MS) }).then(
  ({ ok }) => ok,
  () => false,
);

process.exitCode = isAlive ? 0 : 1;
