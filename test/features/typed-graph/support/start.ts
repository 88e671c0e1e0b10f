import { setImmediate as turn } from 'node:timers/promises';

import { type Env, startGateway } from '../../../support/gateway.ts';

/** Starts a gateway that reads the definitions again and again without a pause. */
export async function startLiveGateway(env: Env) {
  const settings = { TYPED_FORMS: '*', LOG_LEVEL: 'info', CACHE_DEFINITIONS_MS: '1' };
  const gateway = await startGateway({ ...settings, ...env });

  /** Returns the names of a type's fields, or an empty list for an unknown type. */
  const fieldsOf = async (type: string): Promise<string[]> => {
    const { data } = await gateway.execute(`{ __type(name: "${type}") { fields { name } } }`);
    return data.__type?.fields.map(({ name }: { name: string }) => name) ?? [];
  };
  return {
    ...gateway,
    fieldsOf,
    /** Resolves when the condition holds. */
    async until(condition: () => boolean | Promise<boolean>): Promise<void> {
      while (!(await condition())) await turn();
    },
  };
}
