import fc from 'fast-check';

import {
  type Command,
  concurrently,
  execute,
  expire,
  guess,
  type Model,
  type Real,
  revoke,
  type Sending,
  signIn,
  signOut,
} from './commands.ts';
import {
  CHANGES,
  DEFINITIONS,
  type Key,
  type Operations,
  OTHER_CHANGES,
  READS,
  SUBSCRIPTIONS,
} from './operations.ts';
import { type Person, SECRETS, startPlatform } from './platform.ts';
import { createClient, findFailure, limitCommands, type Setup, startGateway } from './support.ts';

/** Starts of tokens that, joined with the name of their owner, read like those of another person. */
const TOKEN_STARTS: Readonly<Record<string, string>> = { a: '/f/1', 'a/f': '/1', 'a/f/1': '' };

/** Names with a common start, names that are equal when joined, and names with separators. */
const NAMES = ['a', 'a/f', 'a/f/1', 'a1', 'b', 'a b', 'a%2Ff', 'a|b', 'a-b'];

/** Ids that are equal when joined, cut, decoded twice or sorted. */
const KEYS: readonly Key[] = [
  { form: 'a', instance: '11' },
  { form: 'a1', instance: '1' },
  { form: 'a', instance: '1' },
  { form: 'a/f', instance: '1' },
  { form: 'a%2Ff', instance: '1' },
  { form: 'a|b:%', instance: '1' },
  { form: 'a b', instance: '-1' },
  { form: 'a-b', instance: '9223372036854775807' },
];

// The first ones are drawn often, because leaks need equal or similar ids.
const anyKey = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...KEYS.slice(0, 3)) },
  { weight: 2, arbitrary: fc.constantFrom(...KEYS.slice(3)) },
);
const rarely = fc.nat(5).map((number) => number === 5);

const anySending: fc.Arbitrary<Sending> = fc.record({
  session: fc.nat(1),
  via: fc.constantFrom('bearer', 'cookie'),
  isStray: rarely,
  isLeaving: rarely,
});

/** Draws one of these operations, and returns a function that creates its command. */
const anyOf = (operations: Operations, key = anyKey, isKeyed = false) =>
  fc.tuple(fc.constantFrom(...Object.entries(operations)), fc.tuple(key, anyKey), anySending).map(
    ([[name, operation], keys, sending]) =>
      (who: number) =>
        execute(name, operation, keys, sending, isKeyed, who),
  );

const anyCreator: fc.Arbitrary<(who: number) => Command> = fc.oneof(
  { weight: 14, arbitrary: anyOf(READS) },
  { weight: 13, arbitrary: anyOf(DEFINITIONS) },
  { weight: 8, arbitrary: anyOf(SUBSCRIPTIONS) },
  { weight: 5, arbitrary: anyOf(CHANGES) },
  { weight: 5, arbitrary: anyOf(CHANGES, fc.constantFrom(...KEYS.slice(0, 2)), true) },
  { weight: 5, arbitrary: anyOf(OTHER_CHANGES) },
  { weight: 6, arbitrary: fc.constantFrom(signIn, revoke, guess) },
  { weight: 2, arbitrary: anySending.map((sending) => (who: number) => signOut(sending, who)) },
  { weight: 1, arbitrary: fc.constant(expire) },
);

/** Draws a command, and sometimes the same command of the next caller. */
const anyCommand = fc
  .tuple(anyCreator, fc.nat(3), rarely)
  .map(([create, who, isEchoed]) => (isEchoed ? [create(who), create(who + 1)] : [create(who)]));

const anyConcurrent = fc
  .tuple(
    fc.array(anyCommand, { minLength: 1, maxLength: 7, size: 'max' }),
    fc.option(fc.nat(3), { nil: undefined, freq: 2 }),
  )
  .map(([commands, held]) => concurrently(commands.flat(), held));

/** Draws the callers of a sequence, and the forms that they may not see. */
const anyPeople = fc
  .tuple(
    fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 2, maxLength: 4 }),
    fc.array(fc.record({ who: fc.nat(3), key: anyKey, status: fc.constantFrom(403, 404) }), {
      maxLength: 3,
      size: 'max',
    }),
  )
  .map(([names, refusals]) =>
    names.map((name, index) => ({
      name,
      refusals: refusals.filter(({ who }) => who % names.length === index),
    })),
  );

/**
 * Creates a person of a sequence. The number of the sequence goes after the first letter of the
 * name: names of one sequence stay similar, and differ from all other sequences.
 */
function createPerson(
  name: string,
  refusals: readonly { readonly key: Key; readonly status: 403 | 404 }[],
  sequence: number,
): Person {
  const unique = `${name[0]}~${sequence}~${name.slice(1)}`;
  const hex = Buffer.from(name).toString('hex');
  return {
    code: `${sequence}x${hex}`,
    name: unique,
    password: `${SECRETS.password}.${unique}`,
    tokenStart: `${TOKEN_STARTS[name] ?? hex}~${sequence}`,
    listedForms: [`${sequence}.list1`, `${sequence}.list2`],
    refusals: new Map(refusals.map(({ key, status }) => [`${sequence}.${key.form}`, status])),
  };
}

interface RunOptions {
  /** The number of sequences. */
  readonly runs: number;
  readonly env?: Readonly<Record<string, string>>;
  /** The number of gateways. Default: 1. */
  readonly replicas?: number;
  /** The folder of a program with a planted leak. */
  readonly root?: string;
  /** Matches the problem of the planted leak. Others do not count. */
  readonly leak?: RegExp;
}

/** Runs random sequences against gateways. Returns the report of a problem, if there is one. */
export async function findProblem(setup: Setup, options: RunOptions): Promise<string | undefined> {
  const { runs, env, replicas = 1, root, leak } = options;
  const platform = await startPlatform(setup);
  const client = createClient();
  const gateways = await Promise.all(
    Array.from({ length: replicas }, () => startGateway(setup, platform.url, env, root)),
  );
  const real: Real = {
    platform,
    send(request, session) {
      // A caller's next session may be at another replica. The last character has only two bits.
      const code = session?.secret.at(-3)?.charCodeAt(0) ?? 0;
      return client(gateways[code % replicas]?.url ?? '', request);
    },
    mayWait: leak !== undefined,
    lateCalls: new Set(),
  };
  let sequence = 0;
  const commands = fc.commands([anyConcurrent], limitCommands(5));
  const property = fc.asyncProperty(anyPeople, commands, async (people, drawn) => {
    sequence++;
    const model: Model = {
      ...setup,
      sequence,
      expectedCalls: new Set(),
      guessCount: 0,
      streams: [],
      callers: people.map(({ name, refusals }) => {
        const person = createPerson(name, refusals, sequence);
        platform.add(person);
        return { person, sessions: [] };
      }),
    };
    const setUp = async () => {
      const signIns = model.callers.map((_, who) => signIn(who));
      await concurrently(signIns, 0).run(model, real);
      return { model, real };
    };
    try {
      await fc.asyncModelRun(setUp, drawn);
    } catch (error) {
      if (leak?.test(String(error)) !== false) throw error;
    } finally {
      for (const { answer } of model.streams) answer.close();
    }
  });
  const report = await findFailure(property, runs, leak !== undefined);
  if (report !== undefined) return report;
  const printed = await Promise.all(gateways.map((gateway) => gateway.end()));
  return printed.flat().find((problem) => leak?.test(problem) !== false);
}
