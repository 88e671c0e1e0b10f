import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import fc from 'fast-check';
import { SignJWT } from 'jose';

import { formatNodeId } from '../../../src/graphql/relay.ts';
import { replaceFile } from '../../reload/support.ts';
import { writeFolder } from '../../support/folder.ts';
import { keySetUrl } from '../../support/key-set.ts';
import { type Platform, stampsIn, startPlatform } from '../platform.ts';
import {
  type Answer,
  createClient,
  type GraphqlRequest,
  limitCommands,
  pickVariables,
  startProgram,
  untilAll,
} from '../support.ts';

/** The forms, with a different total for each, and each with references to the next one. */
const TOTALS: Readonly<Record<string, number>> = {
  alpha: 1009,
  beta: 2003,
  gamma: 3001,
  secret: 4001,
};
const FORMS = Object.keys(TOTALS);
const nextOf = (form: string): string => FORMS[(FORMS.indexOf(form) + 1) % FORMS.length] ?? '';

/** The permissions of a role, as the roles file has them. */
interface Role {
  readonly forms?: Readonly<Record<string, readonly string[]>>;
  readonly processes?: readonly string[];
  readonly rules?: readonly string[];
  readonly extensions?: readonly string[];
  readonly execute?: boolean;
  readonly attributes?: boolean;
  readonly schema?: boolean;
}

const ROLES: Readonly<Record<string, Role>> = {
  reader: { forms: { alpha: ['read'], beta: ['read'], gamma: ['read'] }, schema: true },
  clerk: {
    forms: { alpha: ['read', 'create', 'update'], beta: ['read'], gamma: ['create'] },
    processes: ['one'],
    rules: ['one@1'],
    extensions: ['ownUpdate'],
    execute: true,
  },
  keeper: {
    forms: { gamma: ['read', 'create', 'replace', 'delete'], secret: ['read', 'update'] },
    processes: ['two'],
    rules: ['two@1'],
    attributes: true,
    schema: true,
  },
  idle: {},
};

const may = ({ forms }: Role, form: string, verb: string) => forms?.[form]?.includes(verb) ?? false;
const mayLook = ({ forms }: Role, form: string) => forms?.[form] !== undefined;
const mayFilter = (role: Role, form: string, field: string) =>
  ['idInstance', 'stamp'].includes(field) || (field === 'next' && may(role, nextOf(form), 'read'));

/** The permissions of each role, and the sender of each change. */
interface Model {
  readonly roles: typeof ROLES;
  /** The role of each change, by the mark in its instance's id or in its values. */
  readonly roleByMark: Map<string, Role>;
  /** A key for changes that several roles of one person repeat. */
  readonly key: string;
}

/** The program under test, and its platform. */
export type Real = Awaited<ReturnType<typeof startRoles>>;

type Command = fc.AsyncCommand<Model, Real>;

/** The drawn parts of a request. */
interface Draw {
  readonly subject: string;
  readonly role: string;
  readonly form: string;
  readonly verb: string;
  readonly field: string;
  /** A process or a rule. */
  readonly other: string;
}

/** Whether a role may send a request. */
const NEEDS = {
  read: (role: Role, { form }: Draw) => may(role, form, 'read'),
  look: (role: Role, { form }: Draw) => mayLook(role, form),
  list: (role: Role) => role.forms !== undefined,
  change: (role: Role, { form, verb }: Draw) => may(role, form, verb),
  create: (role: Role) => may(role, 'gamma', 'create'),
  update: (role: Role) => may(role, 'secret', 'update'),
  process: (role: Role, { other }: Draw) => role.processes?.includes(other),
  rule: (role: Role, { other }: Draw) => role.rules?.includes(`${other}@1`),
  execute: (role: Role) => role.execute,
  schema: (role: Role) => role.schema,
  extension: (role: Role) => role.extensions !== undefined,
  nothing: () => false,
};

/**
 * The requests, with the permission that each needs. Names in capitals are replaced: by the form,
 * its type, the verb of a change, the verb in a type, and the selection of a change.
 */
const REQUESTS: Readonly<Record<string, readonly [need: keyof typeof NEEDS, query: string]>> = {
  instance: [
    'read',
    'query ($form: ID!) { instance(formId: $form, instanceId: "1") { values form { description } } }',
  ],
  instances: [
    'read',
    'query ($form: ID!) { instances(formId: $form, first: 2) { totalCount nodes { values reference(field: "next") { values } } } }',
  ],
  typedOne: [
    'read',
    '{ a: FORM(instanceId: "2") { stamp next { stamp next { stamp } } } b: FORM(instanceId: "3") { values } }',
  ],
  filtered: [
    'read',
    'query ($form: ID!, $where: [CriterionInput!]) { instances(formId: $form, where: $where, first: 1) { totalCount } }',
  ],
  ordered: [
    'read',
    'query ($form: ID!, $orderBy: [OrderInput!]) { instances(formId: $form, orderBy: $orderBy, first: 1) { totalCount } }',
  ],
  form: [
    'look',
    '{ form(formId: "FORM") { description fields { name } instances(first: 1) { totalCount } } }',
  ],
  formNode: [
    'look',
    'query ($formNode: ID!) { node(id: $formNode) { ... on Form { definition } } }',
  ],
  node: ['read', 'query ($node: ID!) { node(id: $node) { ... on Instance { values } } }'],
  forms: [
    'list',
    '{ forms { formCount: totalCount nodes { formId description fields { name } } } }',
  ],
  formsByName: [
    'list',
    'query ($form: JSON!) { forms(where: [{ field: "name", operator: EQ, value: $form }]) { totalCount nodes { description } } }',
  ],
  change: [
    'change',
    'mutation ($change: VERB_TYPEInstanceInput!) { VERBInstance(input: $change) { SELECTION } }',
  ],
  typedChange: [
    'change',
    'mutation ($item: VERB_TYPEFORM_TYPEInput!) { VERBFORM_TYPE(input: $item) { SELECTION } }',
  ],
  bulk: [
    'change',
    'mutation ($bulk: VERB_TYPEInstancesInput!) { VERBInstances(input: $bulk) { done results { SELECTION } } }',
  ],
  // The same keyed changes by several roles of one person.
  keyed: [
    'create',
    'mutation ($key: ID!) { createInstance(input: { formId: "gamma", values: { stamp: "any" }, idempotencyKey: $key }) { instance { id values } } }',
  ],
  keyedUpdate: [
    'update',
    'mutation ($otherKey: ID!) { updateInstance(input: { formId: "secret", instanceId: "9", values: { stamp: "own" }, idempotencyKey: $otherKey }) { instance { id } } }',
  ],
  extension: [
    'extension',
    'mutation ($otherKey: ID!) { ownUpdate(formId: "secret", instanceId: "9", key: $otherKey) }',
  ],
  otherExtension: ['nothing', 'mutation { ownOther }'],
  start: [
    'process',
    'mutation ($other: ID!) { startCase(input: { process: $other }) { case { caseId record } } }',
  ],
  execute: [
    'execute',
    'mutation { executeActivity(input: { caseId: "1", activityId: "2" }) { case { record } } }',
  ],
  rule: ['rule', 'query ($other: ID!) { rule(component: $other, version: "1") { name } }'],
  executeRule: [
    'rule',
    'mutation ($other: ID!) { executeRule(input: { component: $other, version: "1", parameters: [] }) { outputs { value } } }',
  ],
  schema: [
    'schema',
    '{ __schema { queryType { name } } __type(name: "FORM_TYPE") { description } }',
  ],
};

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** Returns the query of a request, and its variables. */
function toGraphql(query: string, { form, verb, field, other }: Draw, mark: string, key: string) {
  const isDeletion = verb === 'delete';
  const item = {
    ...(verb !== 'create' && { instanceId: mark }),
    ...(!isDeletion && { values: { stamp: mark } }),
  };
  const variables = pickVariables(query, {
    form,
    other,
    key,
    otherKey: `other ${key}`,
    item,
    where: [{ field, operator: 'EQ', value: '1' }],
    orderBy: [{ field, direction: 'ASC' }],
    formNode: formatNodeId('Form', form),
    node: formatNodeId('Instance', form, '4'),
    change: { formId: form, ...item },
    bulk: { formId: form, items: [item] },
  });
  const named = query
    .replaceAll('FORM_TYPE', capital(form))
    .replaceAll('FORM', form)
    .replaceAll('VERB_TYPE', capital(verb))
    .replaceAll('VERB', verb)
    .replace('SELECTION', isDeletion ? 'deletedId' : 'instance { id instanceId values }');
  return { query: named, variables };
}

/** Returns the parts of a response that a role must not see. */
function findForeign(role: Role, text: string): string[] {
  const paths = stampsIn(text).map(({ path }) => path);
  const foreign = paths.filter((path) => {
    const [, , kind, id = '', instances] = path.split('/');
    if (kind === 'rules') return !role.rules?.includes(id.replace('-', '@'));
    if (kind === 'cases') return role.processes === undefined;
    return instances === undefined ? !mayLook(role, id) : !may(role, id, 'read');
  });
  const totals = FORMS.filter(
    (form) => text.includes(`"totalCount":${TOTALS[form]}`) && !may(role, form, 'read'),
  );
  const [, formCount] = /"formCount":(\d+)/.exec(text) ?? [];
  const isWrongCount = formCount && Number(formCount) !== Object.keys(role.forms ?? {}).length;
  return [...foreign, ...totals, ...(isWrongCount ? [`${formCount} forms`] : [])];
}

/** Creates a command that sends a request of a role. */
function request(name: string, [need, query]: (typeof REQUESTS)[string], draw: Draw): Command {
  const { subject, form, verb, field, other } = draw;
  const title = `${draw.role} ${name} ${form} ${verb} ${field} ${other}`;
  return {
    check: () => true,
    toString: () => `${subject} ${title}`,
    async run(model, real) {
      const role = model.roles[draw.role] ?? {};
      const mark = String(100 + model.roleByMark.size);
      model.roleByMark.set(mark, role);
      const graphql = toGraphql(query, draw, mark, model.key);
      const { status, text, body } = await real.send(subject, draw.role, graphql);

      const codes = (body.errors ?? []).map(({ extensions }) => extensions?.code);
      assert(
        codes.every((code) => code === 'FORBIDDEN'),
        `${title}: got ${text()}`,
      );
      const isForbidden = codes.length > 0;
      const isRefused = status === 403 && isForbidden;
      const isAllowed = NEEDS[need](role, draw) ?? false;
      assert(isRefused !== isAllowed, `${title}: refused is ${isRefused}: ${text()}`);
      // These fields are refused while they run.
      const mustBeForbidden = /where|orderBy/.test(query)
        ? name !== 'formsByName' && !mayFilter(role, form, field)
        : need === 'extension';
      assert(isForbidden || !mustBeForbidden, `${title}: not forbidden`);
      if (isAllowed && !mustBeForbidden && ['read', 'look'].includes(need))
        assert.match(text(), /cnry!|"totalCount":/, `${title}: nothing was read: ${text()}`);
      assert.deepEqual(findForeign(role, text()), [], `${title}: is shown ${text()}`);
    },
  };
}

const CHANGES: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'replace',
  PATCH: 'update',
  DELETE: 'delete',
};

/** Checks that each change is one of its role, and that searches have only known fields. */
async function checkCalls({ roleByMark }: Model, platform: Platform): Promise<void> {
  for (const { method, path, query, body } of platform.takeCalls()) {
    const [, , kind, form = '', , instanceId] = path.split('/');
    if (kind !== 'forms') continue;
    const conditions = `${query.get('search') ?? ''},${query.get('sort') ?? ''}`;
    for (const [, field = ''] of conditions.matchAll(/(?:^|,)[+-]?([\w.]+)/g))
      assert(/^(idForm|idInstance|name|stamp|next)$/.test(field), `searched by ${field}`);
    const verb = CHANGES[method];
    if (verb === undefined) continue;
    const role = roleByMark.get(instanceId ?? JSON.parse(body).values.stamp);
    assert(role === undefined || may(role, form, verb), `a role has made ${verb} of ${form}`);
  }
}

/** Creates a command that runs others concurrently, and checks the platform's calls after them. */
const concurrently = (commands: readonly Command[]): Command => ({
  check: () => true,
  toString: () => `[${commands.join(', ')}]`,
  async run(model, real) {
    const running = commands.map((command) => command.run(model, real));
    await Promise.allSettled(running);
    await untilAll([...running, checkCalls(model, real.platform)]);
  },
});

const anyRequest = fc
  .tuple(
    fc.constantFrom(...Object.entries(REQUESTS)),
    fc.record({
      subject: fc.constantFrom('ann', 'bob'),
      role: fc.constantFrom(...Object.keys(ROLES)),
      form: fc.constantFrom(...FORMS),
      verb: fc.constantFrom(...Object.values(CHANGES)),
      field: fc.constantFrom('idInstance', 'stamp', 'next', 'next.stamp', 'nothing'),
      other: fc.constantFrom('one', 'two'),
    }),
  )
  .map(([[name, content], draw]) => request(name, content, draw));

const anyConcurrent = fc
  .array(anyRequest, { minLength: 1, maxLength: 5, size: 'max' })
  .map(concurrently);

/**
 * Creates the property that each role has only its own rights, in any sequence of requests.
 *
 * @param onProblem is called with the problems of a sequence. It returns whether the sequence fails.
 */
export function createProperty(real: Real, onProblem: (problem: string) => boolean = () => true) {
  let sequence = 0;
  const commands = fc.commands([anyConcurrent], limitCommands(4));
  return fc.asyncProperty(commands, async (drawn) => {
    const key = `k${sequence++ >> 4}`;
    const model = { roles: ROLES, roleByMark: new Map(), key };
    try {
      await fc.asyncModelRun(() => ({ model, real }), drawn);
    } catch (error) {
      if (onProblem((error as Error).message)) throw error;
    }
  });
}

/** Starts a gateway with roles. It ends with the test. */
export async function startRoles(root?: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const service = {
    code: 'service',
    name: 'u',
    password: 'p',
    tokenStart: 's',
    listedForms: FORMS,
  };
  const totalOf = (form: string) => TOTALS[form] ?? 0;
  const platform = await startPlatform({ variant: 'B', totalOf, nextOf });
  platform.add({ ...service, refusals: new Map() });
  const file = { claim: 'roles', roles: ROLES };
  const path = join(writeFolder({ 'roles.json': file }), 'roles.json');
  const settings = {
    LOG_LEVEL: 'warn',
    CACHE_INSTANCES_MS: '50',
    ROLES: path,
    // A role may read the schema.
    PLAYGROUND: 'on',
    UPSTREAM_URL: platform.url,
    UPSTREAM_AUTH: 'basic',
    UPSTREAM_USERNAME: service.name,
    UPSTREAM_PASSWORD: service.password,
    CALLER_AUTH: 'jwt',
    CALLER_JWKS_URL: await keySetUrl(publicKey),
  };
  const { run, url } = await startProgram(settings, root);
  const client = createClient();

  return {
    platform,
    run,
    async send(subject: string, role: string, request: GraphqlRequest) {
      const token = await new SignJWT({ roles: [role] })
        .setProtectedHeader({ alg: 'ES256' })
        .setSubject(subject)
        .setExpirationTime('3h')
        .sign(privateKey);
      return client(url, { ...request, headers: { authorization: `Bearer ${token}` } });
    },
    /** Removes a form from a role, while the gateway runs. */
    removeSecret() {
      const keeper = { forms: { gamma: ['read'] } };
      replaceFile(path, JSON.stringify({ ...file, roles: { ...ROLES, keeper } }));
      run.stop('SIGHUP');
    },
  };
}

/** Removes a form from a role while a stream reads it. Returns whether the stream ends. */
export async function endsStream({ send, removeSecret }: Real): Promise<boolean> {
  const read = '{ instances(formId: "secret", first: 1) { totalCount } }';
  const stream: Answer = await send('ann', 'keeper', { query: `subscription ${read}` });
  assert.match(stream.text(), /"totalCount":4001/);
  assert.equal((await send('ann', 'keeper', { query: read })).status, 200);
  removeSecret();
  // The gateway checks the file every half second.
  while ((await send('ann', 'keeper', { query: read })).status === 200);
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  // A stream ends within a second. A busy machine takes longer.
  setTimeout(resolve, 5_000, false).unref();
  const isEnded = await Promise.race([stream.ended.then(() => true), late]);
  stream.close();
  return isEnded;
}
