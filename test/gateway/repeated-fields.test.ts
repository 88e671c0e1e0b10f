import { describe, expect, it } from 'vitest';

import { startGateway } from '../support/gateway.ts';
import { measureCpu } from '../support/processor-time.ts';

const times = (count: number, text: string) => text.repeat(count);

/** Far below the seconds that such a request once took, and above the noise of a busy machine. */
const MAX_CPU_MS = 500;

/** Selects a field of a form at 900 places, through five levels of fragments. */
const spread = (field: string) => `
  { form(formId: "supplier") { ...A } }
  fragment A on Form { ${times(3, '...B ')} }
  fragment B on Form { ${times(4, '...C ')} }
  fragment C on Form { ${times(5, '...D ')} }
  fragment D on Form { ${times(15, '...E ')} }
  fragment E on Form { ${field} }`;

describe('a field that fragments select at 900 places', () => {
  it('has its arguments printed once', async () => {
    const { execute } = await startGateway();
    const query = spread(
      `instances(where: [{ field: "a", value: "${times(45_000, '\\n')}" }]) { totalCount }`,
    );

    const { cpuMs, result } = await measureCpu(() => execute(query));

    expect(result).toMatchObject({
      status: 400,
      errors: [{ message: expect.stringMatching(/too long/) }],
    });
    expect(cpuMs).toBeLessThan(MAX_CPU_MS);
  });

  it('has conditions that are evaluated once for each run', async () => {
    const { execute } = await startGateway();
    const conditions = Array.from(
      { length: 49 },
      (_, n) => `fragment F${n} on Form { ...F${n + 1} @include(if: $is) }`,
    );
    const query = `query ($is: Boolean!) { form(formId: "supplier") { ...F0 } } ${conditions.join(' ')}
      fragment F49 on Form { ${times(90, '...G ')} } fragment G on Form { ${times(49, 'name @include(if: $is) ')} }`;
    await execute(query, { is: true });

    const { cpuMs, result } = await measureCpu(() => execute(query, { is: true }));

    expect(result).toEqual({ status: 200, data: { form: { name: 'Supplier' } } });
    expect(cpuMs).toBeLessThan(150);
  });
});

it('an alias of more than 200 characters is refused before its name is used', async () => {
  const { execute } = await startGateway();

  const { errors } = await execute(`{ ${times(90_000, 'x')}: forms { totalCount } }`);

  expect(errors?.[0]?.message).toBe(
    'Too many characters in an alias: 201 or more, and at most 200 are taken.',
  );
});
