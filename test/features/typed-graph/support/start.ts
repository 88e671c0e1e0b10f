import { setImmediate as turn } from 'node:timers/promises';

import { startGateway } from '../../../support/gateway.ts';

/** A gateway whose graph follows its platform's definitions as fast as it can. */
export type LiveGateway = Awaited<ReturnType<typeof startLiveGateway>>;

/** Starts it; it ends with the test. `lines` grows by each line of its log. */
export async function startLiveGateway(env: Readonly<Record<string, string>>) {
  const lines: Readonly<Record<string, unknown>>[] = [];
  const settings = { TYPED_FORMS: '*', LOG_LEVEL: 'info', CACHE_DEFINITIONS_MS: '1' };
  const { url, metricsUrl, execute } = await startGateway({ ...settings, ...env }, (line) =>
    lines.push(JSON.parse(line)),
  );

  /** Gives the names of a type's fields; none where there is no such type. */
  const fieldsOf = async (type: string): Promise<string[]> => {
    const { data } = await execute(`{ __type(name: "${type}") { fields { name } } }`);
    return data.__type?.fields.map(({ name }: { name: string }) => name) ?? [];
  };
  return {
    lines,
    execute,
    fieldsOf,
    url,
    metricsUrl,
    /** Resolves when something is so. */
    async until(isSo: () => boolean | Promise<boolean>): Promise<void> {
      while (!(await isSo())) await turn();
    },
  };
}
