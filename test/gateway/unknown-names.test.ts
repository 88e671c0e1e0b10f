import { expect, it } from 'vitest';
import { startFormPlatform } from '../support/form-platform.ts';
import { type GraphqlAnswer, startGateway } from '../support/gateway.ts';

const FORMS = Array.from({ length: 1_000 }, (_, index) => ({
  idForm: `approval-of-purchases-of-department-${index}`,
  fields: [{ name: 'status', type: 'text', required: false }],
}));

/** Names that almost match a thousand fields and types. */
const misspelt = Array.from(
  { length: 100 },
  (_, index) => `pprovalOfPurchasesOfDepartmment${index}`,
);
const FIELDS = `{ ${misspelt.join(' ')} }`;
const TYPES = `query (${misspelt.map((name, index) => `$v${index}: A${name}`).join(', ')}) { __typename }`;

/** Sends a request, and returns its answer with the CPU time in milliseconds. */
async function measure(execute: () => Promise<GraphqlAnswer>) {
  const before = process.cpuUsage();
  const answer = await execute();
  const { user, system } = process.cpuUsage(before);
  return { ...answer, cpuMs: (user + system) / 1_000 };
}

it('unknown names in a graph of 1,000 forms cost almost no time in production, where no suggestions are made', async () => {
  const platform = await startFormPlatform(FORMS);
  const gateway = await startGateway({
    ...platform.env,
    NODE_ENV: 'production',
    CALLER_AUTH: 'none',
  });
  await gateway.execute('{ nothing }');

  const answers = [
    await measure(() => gateway.execute(FIELDS)),
    await measure(() => gateway.execute(TYPES)),
  ];

  for (const { status, errors, cpuMs } of answers) {
    expect(status).toBe(400);
    expect(JSON.stringify(errors)).not.toContain('Did you mean');
    // Suggestions would take seconds. Two threads that share a core may double the time.
    expect(cpuMs).toBeLessThan(700);
  }
  // Types of a thousand forms take long on a busy machine.
}, 180_000);
