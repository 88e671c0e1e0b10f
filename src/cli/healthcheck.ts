/**
 * A process of its own, for an image without a shell: ends with 0 when the gateway in the same container is alive. It asks
 * for liveness alone, since restarting the gateway does not mend a platform that is down; on the operators' port where there is
 * one, which answers at once while clients wait for connections.
 */
const TIMEOUT_MS = 2_000;
const { PORT = '4000', METRICS_PORT, HOST = '127.0.0.1' } = process.env;
/** An address that stands for every one cannot be called; loopback is among them. */
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
