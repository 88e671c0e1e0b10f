/**
 * The health check of an image without a shell, in a process of its own. It ends with 0 if the
 * gateway in the same container is alive. It checks only liveness, because restarting the gateway
 * does not repair a platform that is down. It prefers the operator port, which responds even if
 * clients wait for connections.
 */
const TIMEOUT_MS = 2_000;
const { PORT = '4000', METRICS_PORT, HOST = '127.0.0.1' } = process.env;
/** A wildcard address cannot be called. It includes the loopback address. */
const CALLED: Readonly<Record<string, string>> = {
  '0.0.0.0': '127.0.0.1',
  '::': '::1',
  '': '127.0.0.1',
};

const host = CALLED[HOST] ?? HOST;
const url = `http://${host.includes(':') ? `[${host}]` : host}:${METRICS_PORT || PORT || '4000'}/livez`;

process.exitCode = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).then(
  ({ ok }) => (ok ? 0 : 1),
  () => 1,
);
