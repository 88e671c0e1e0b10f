/** The addresses that a started gateway prints. */
export interface Addresses {
  /** The URL without a path. */
  readonly url: string;
  /** The URL of the metrics; empty without `METRICS_PORT`. */
  readonly metrics: string;
  /** The base URL of the embedded platform; empty with `UPSTREAM_URL`. */
  readonly sandbox: string;
}

const LINE = /^\{.*"msg":"Caseway serves GraphQL at .*\}$/m;
/** The last line of the text that a gateway prints in development. */
const END = 'Ctrl+C';

/**
 * Reads the addresses from the output of a gateway: a JSON line in production, else lines of text.
 * `undefined` until it has printed all of them.
 */
export function readAddresses(output: string): Addresses | undefined {
  const [line] = LINE.exec(output) ?? [];
  if (line !== undefined) {
    const { url, metrics = '', sandbox = '' } = JSON.parse(line);
    return { url, metrics, sandbox };
  }
  if (!output.includes(END)) return undefined;
  const find = (pattern: RegExp) => pattern.exec(output)?.[1] ?? '';
  return {
    url: find(/GraphQL at (http:\S+)\/graphql/),
    metrics: find(/metrics +(http:\S+)/),
    sandbox: find(/sandbox +(http:\S+)\/v1\.0/),
  };
}
