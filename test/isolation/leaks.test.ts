import { expect, it } from 'vitest';

import { FOREIGN } from './commands.ts';
import { findProblem } from './sequences.ts';
import { copyProgram, LEAK_SEQUENCES, type PlantedLeak, type Setup } from './support.ts';

const plant = copyProgram();

interface Leak extends Partial<Setup> {
  readonly plant: PlantedLeak;
  /** Matches the problem that it must cause. Default: a caller is shown another's data. */
  readonly shows?: RegExp;
}

const ANSWER = 'return answerOperation(operation, variables, context);';
const SEND = 'const sendToPlatform = adapt ? adapt(platform.http.send) : platform.http.send;';

/** Returns code that keeps a result by a key, and so returns the first result to every caller. */
const keep = (holder: string, key: string, create: string) =>
  `const kept = (${holder}.kept ??= new Map());
  const key = ${key};
  if (!kept.has(key)) kept.set(key, ${create});
  return kept.get(key);`;

/** Returns a connection to the platform that makes some calls once for all callers. */
const sendOnce = (isShared: string, key: string) =>
  `const sendToPlatform: typeof platform.http.send = (call) => {
    if (!(${isShared})) return platform.http.send(call);
    ${keep('platform', key, 'platform.http.send(call)')}
  };`;

/** Typical mistakes with caches, tokens and connections. */
const LEAKS: Readonly<Record<string, Leak>> = {
  'answers are cached by the text of the request': {
    mode: 'forward',
    plant: [
      'http/graphql-route.ts',
      ANSWER,
      keep('graph', 'text + JSON.stringify(variables)', ANSWER.slice('return '.length, -1)),
    ],
  },
  'equal requests of different callers share one answer': {
    mode: 'forward',
    plant: [
      'cache/cache.ts',
      /const running = new Map<string, RunningQuery>\(\);([\s\S]*?)partition\.keyOf\(.*\);/,
      'const running = (store.running ??= new Map());$1name;',
    ],
  },
  'equal subscriptions of different callers share one stream': {
    mode: 'forward',
    plant: ['features/live/subscribe.ts', '[scope, text, operationName', '[text, operationName'],
  },
  'the credentials of the latest request serve all running ones': {
    plant: [
      'http/auth/sessions.ts',
      'return token === undefined ? anonymousIn(reply) : find(token, reply);',
      `tokens.latest = token ?? tokens.latest;
      return new Promise(setImmediate).then(() => find(tokens.latest ?? '', reply));`,
    ],
  },
  'caches on the way may store responses': {
    plant: ['http/errors.ts', "'no-store'", "'max-age=60'"],
    shows: /may be kept/,
  },
  'reads are cached by their address': {
    plant: ['upstream/index.ts', SEND, sendOnce("call.method === 'GET'", 'call.path')],
  },
  'the latest token authorizes every call': {
    mode: 'forward',
    plant: [
      'upstream/token-provider.ts',
      '? signedOut() : token,',
      `? signedOut() : new Promise((resolve) => {
        noToken.latest = token;
        setImmediate(() => resolve(noToken.latest));
      }),`,
    ],
  },
  'every sign-in gets the token of the first': {
    variant: 'A',
    plant: [
      'upstream/index.ts',
      "signIn: (credentials) => issue(credentials, 'sign-in'),",
      "signIn: (credentials) => (lists.first ??= issue(credentials, 'sign-in')),",
    ],
  },
  'equal changes of different callers are made once': {
    plant: [
      'upstream/index.ts',
      SEND,
      sendOnce("call.kind === 'write'", 'call.method + call.path + call.body'),
    ],
  },
  'an extension gets values that others have too': {
    plant: [
      'features/extensions/own-copy.ts',
      "if (typeof value !== 'object' || value === null) return value;",
      'if (value !== undefined) return value;',
    ],
    // The values differ, and the resolver has not failed.
    shows: /deep-equal(?![\s\S]*EXTENSION_FAILED)/,
  },
  'the context of an extension belongs to the previous operation': {
    plant: [
      'features/extensions/context.ts',
      // A context throws after the end of its operation, and after its number of calls.
      /return options\.calls > 0 \? create : perOperation\(create\);([\s\S]*?)if \(isEnded\)/,
      `let last: OperationContext | undefined;
      return (operation) => {
        const previous = last ?? operation;
        last = operation;
        return create(previous);
      };$1if (false)`,
    ],
  },
  'fields of extensions are kept for every caller': {
    plant: [
      'features/extensions/resolvers.ts',
      'return run(operation, convertMembers(field.args, given), source, read);',
      keep(
        'field',
        'JSON.stringify(given)',
        'run(operation, convertMembers(field.args, given), source, read)',
      ),
    ],
  },
};

it.each(Object.entries(LEAKS))(
  'the sequences show that %s',
  { timeout: 600_000 },
  async (_what, { mode = 'user', variant = 'B', plant: text, shows = FOREIGN }) => {
    const options = { runs: LEAK_SEQUENCES, root: plant(text), leak: shows };

    expect(await findProblem({ mode, variant }, options)).toMatch(shows);
  },
);
