import { clientPresetConfig, relayScalars, type Scalars, scalars } from 'caseway/codegen';
import { buildSchema, isScalarType, isSpecifiedScalarType } from 'graphql';
import { expect, it } from 'vitest';

import { shareGateway } from '../support/gateway.ts';

/** The names of `Scalars`, which the compiler compares with the type. */
const TADA_SCALARS: Readonly<Record<keyof Scalars, true>> = {
  Date: true,
  DateTime: true,
  Decimal: true,
  ID: true,
  JSON: true,
  JSONObject: true,
  Long: true,
};

const gateway = shareGateway({ TYPED_FORMS: '*' });

it('each scalar of the graph has a type for each code generator', async () => {
  const schema = buildSchema(await (await fetch(`${gateway.url}/schema.graphql`)).text());
  const custom = Object.values(schema.getTypeMap())
    .filter((type) => isScalarType(type) && !isSpecifiedScalarType(type))
    .map(({ name }) => name);

  expect(Object.keys(relayScalars).sort()).toEqual(custom.sort());
  expect(Object.keys(scalars).sort()).toEqual([...custom, 'ID'].sort());
  expect(Object.keys(TADA_SCALARS).sort()).toEqual([...custom, 'ID'].sort());
  expect(clientPresetConfig).toMatchObject({ strictScalars: true, scalars });
});
