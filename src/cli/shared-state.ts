import type { AppConfig } from '../app/config.ts';
import type { Facts } from '../core/facts.ts';
import { createLog } from '../core/log.ts';
import { findSentence, type Sentences, withCode } from './command.ts';

/**
 * Checks the state that replicas share as a start does, and disconnects. Returns whether all of it
 * can be used.
 *
 * @param report is called for each part, with its problem and the next step.
 */
export async function checkSharedState(
  { features }: AppConfig,
  platformUrl: string,
  report: (name: string, problem: string | undefined) => void,
): Promise<boolean> {
  await using resources = new AsyncDisposableStack();
  const defer = (close: () => Promise<void> | void) => resources.defer(close);
  const facts: Facts = { gauges: [], readiness: [], status: [] };
  // The first line of the log has the code of the failure.
  let code = '';
  const log = createLog('warn', {
    write(line) {
      code ||= JSON.parse(line).reason;
    },
  });
  for (const { share } of features) {
    const shared = await share?.({ log, facts, platformUrl, defer });
    await shared?.open?.();
  }
  let isUsable = true;
  for (const { name, read } of facts.readiness) {
    const isAvailable = (await read()) === 'ok';
    const problem = findSentence(PROBLEMS, code) ?? 'it does not respond as Redis; check REDIS_URL';
    report(name, isAvailable ? undefined : withCode(problem, code));
    isUsable &&= isAvailable;
  }
  return isUsable;
}

/** The problem and the next step, by parts of the error codes of Node, OpenSSL and Redis. */
const PROBLEMS: Sentences = [
  [
    'ENOTFOUND EAI_AGAIN',
    'its host name is unknown; check the name in REDIS_URL and this machine’s DNS',
  ],
  [
    'ECONNREFUSED',
    'its host refuses the connection; check host and port in REDIS_URL, and that Redis is running',
  ],
  [
    'TIMEDOUT TIMEOUT UNREACH',
    'it does not respond in time; check scheme, host and port in REDIS_URL, and the network; a command may take 50 ms',
  ],
  ['WRONGPASS NOAUTH', 'it refuses the credentials; check user name and password in REDIS_URL'],
  [
    'NOPERM',
    'its user lacks a permission; allow keys and channels that begin with caseway:, with read, write, scripts and pubsub',
  ],
  [
    'CERT UNABLE_TO_',
    'its certificate is not accepted; check host name and expiry, and add a private CA with NODE_EXTRA_CA_CERTS',
  ],
  [
    'SSL EPROTO ECONNRESET closed',
    'it closes the connection; check the scheme of REDIS_URL: rediss with TLS, redis without',
  ],
  [
    'OOM READONLY MISCONF LOADING MASTERDOWN',
    'it takes no writes; check its memory and disk, and that it is not a read-only replica',
  ],
];
