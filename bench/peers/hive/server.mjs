/**
 * Hive Gateway over the REST platform, as its documentation describes: Mesh composes a supergraph of
 * JSON schemas, `@resolveTo` follows references, and resolvers read the values of an instance.
 */
import { createServer } from 'node:http';
import { createGatewayRuntime } from '@graphql-hive/gateway-runtime';
import { Logger } from '@graphql-hive/logger';
import { getComposedSchemaFromConfig } from '@graphql-mesh/compose-cli';
import * as rest from '@graphql-mesh/transport-rest';
import { loadJSONSchemaSubgraph } from '@omnigraph/json-schema';

const { PORT, UPSTREAM_URL = '' } = process.env;

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
/** The values of instances, by name. */
const VALUES = {
  name: TEXT,
  title: TEXT,
  amount: { type: 'number' },
  open: { type: 'boolean' },
  quantity: INTEGER,
  city: TEXT,
  street: TEXT,
  phone: TEXT,
  email: TEXT,
  note: TEXT,
};

const object = (title, properties) => ({ type: 'object', title, properties });
const list = (items) => ({ type: 'array', items });

const FIELD = object('FormField', {
  name: TEXT,
  label: TEXT,
  type: TEXT,
  required: { type: 'boolean' },
});
const FORM = object('Form', { idForm: TEXT, name: TEXT, fields: list(FIELD) });
const INSTANCE = object('Instance', {
  idInstance: TEXT,
  idForm: TEXT,
  values: object('Values', { ...VALUES, owner: INTEGER }),
});
const INSTANCES = object('Instances', { items: list(INSTANCE) });

const read = (field, path, responseSchema, argTypeMap = {}) => ({
  type: 'Query',
  method: 'GET',
  field,
  path: `/v1.0/forms/${path}`,
  responseSchema,
  argTypeMap,
});

const platform = loadJSONSchemaSubgraph('Platform', {
  endpoint: UPSTREAM_URL,
  operationHeaders: { authorization: 'Bearer a-token' },
  operations: [
    read('form', '{args.formId}', FORM),
    read('instances', '{args.formId}/instances?page-number={args.page}&per-page=100', INSTANCES, {
      page: INTEGER,
    }),
    read('owner', 'owner/instances/{args.ownerId}', INSTANCE),
  ],
});

const resolveTo = (field, required, args) =>
  `@resolveTo(sourceName: "Platform", sourceTypeName: "Query", sourceFieldName: "${field}",
    requiredSelectionSet: "${required}", sourceArgs: ${args})`;

const supergraph = await getComposedSchemaFromConfig(
  {
    subgraphs: [{ sourceHandler: platform }],
    additionalTypeDefs: `
      extend type Instance {
        name: String
        title: String
        amount: Float
        open: Boolean
        quantity: Int
        city: String
        street: String
        phone: String
        email: String
        note: String
        form: Form ${resolveTo('form', '{ idForm }', '{ formId: "{root.idForm}" }')}
        owner: Instance
          ${resolveTo('owner', '{ values { owner } }', '{ ownerId: "{root.values.owner}" }')}
      }
    `,
  },
  new Logger(),
);

const readValue = (name) => ({
  selectionSet: `{ values { ${name} } }`,
  resolve: ({ values }) => values?.[name],
});

const gateway = createGatewayRuntime({
  supergraph,
  transports: { rest },
  additionalResolvers: {
    Instance: Object.fromEntries(Object.keys(VALUES).map((name) => [name, readValue(name)])),
  },
  logging: false,
  landingPage: false,
  graphiql: false,
});
createServer(gateway).listen(Number(PORT), '127.0.0.1');
