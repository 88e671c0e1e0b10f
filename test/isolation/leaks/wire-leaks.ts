import type { Leak } from './leak.ts';

/** Requests that meet at the edge, and what leaves it. */
export const WIRE_LEAKS = {
  'the last caller’s scope answers whoever is being served': {
    edits: [
      {
        file: 'edge/graphql.ts',
        find: 'const { scope, session } = await identify(request, reply);',
        replace: `last = await identify(request, reply);
      await new Promise(setImmediate);
      const { scope, session } = last;`,
      },
      {
        file: 'edge/graphql.ts',
        find: 'export function registerGraphql(',
        replace: 'let last: Awaited<ReturnType<Identify>>;\nexport function registerGraphql(',
      },
    ],
    shows: /is shown what/,
  },
  'answers are kept by the text of the question': {
    mode: 'forward',
    edits: [
      {
        file: 'edge/graphql.ts',
        find: 'export function registerGraphql(',
        replace: 'const kept = new Map<string, string>();\nexport function registerGraphql(',
      },
      {
        file: 'edge/graphql.ts',
        find: 'const ask = readAsk(request, limits.json);',
        replace: `const ask = readAsk(request, limits.json);
        const question = JSON.stringify(request.body);
        const known = kept.get(question);
        if (known !== undefined) return reply.type('application/json').send(known);`,
      },
      {
        file: 'edge/graphql.ts',
        find: 'const text = send(answer, exchange);',
        replace: `if (answer.body.kind === 'complete') kept.set(question, answer.body.string);
        const text = send(answer, exchange);`,
      },
    ],
    shows: /is shown what/,
  },
  'answers may be kept on the way': {
    mode: 'forward',
    edits: [{ file: 'edge/app.ts', find: "'cache-control': 'no-store'", replace: "'cache-control': 'max-age=60'" }],
    shows: /may be kept/,
  },
  'a token is logged': {
    mode: 'forward',
    edits: [
      {
        file: 'upstream/transport.ts',
        find: 'return exchange({',
        replace: 'process.stdout.write(token.authorization);\n    return exchange({',
      },
    ],
    shows: /printed a tkn!/,
  },
} as const satisfies Readonly<Record<string, Leak>>;
