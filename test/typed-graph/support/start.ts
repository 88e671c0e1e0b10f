import { Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

import { createLog } from '../../../src/telemetry/log.ts';
import { readConfiguration } from '../../../src/wiring/configuration.ts';
import { startGateway } from '../../../src/wiring/gateway.ts';
import { askAt } from '../../support/gateway.ts';

/** A gateway whose graph follows its platform's definitions as fast as it can. */
export type LiveGateway = Awaited<ReturnType<typeof startLiveGateway>>;

/** Starts it; it ends with the test. `lines` grows by each line of its log. */
export async function startLiveGateway(env: Readonly<Record<string, string>>) {
  const lines: Readonly<Record<string, unknown>>[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  const settings = { PORT: '0', ADMISSION_LAG_MS: '60000', DRAIN_TIMEOUT_MS: '1000', TYPED_WATCH_MS: '1' };
  const gateway = await startGateway(readConfiguration({ ...settings, ...env }), createLog('info', destination));
  onTestFinished(gateway.close);
  const ask = (query: string) => askAt(gateway.url, JSON.stringify({ query }));

  /** Gives the names of a type's fields; none where there is no such type. */
  const fieldsOf = async (type: string): Promise<string[]> => {
    const { data } = await ask(`{ __type(name: "${type}") { fields { name } } }`);
    return data.__type?.fields.map(({ name }: { name: string }) => name) ?? [];
  };
  return {
    lines,
    ask,
    fieldsOf,
    url: gateway.url,
    /** Resolves when something is so. */
    async until(isSo: () => boolean | Promise<boolean>): Promise<void> {
      while (!(await isSo())) await turn();
    },
  };
}
