import { Writable } from 'node:stream';
import { assert, asyncProperty, nat } from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig, startGateway } from '../../src/app.ts';
import { createLog } from '../../src/core/log.ts';
import { disturbPlatform } from '../support/disturbed-platform.ts';
import { postGraphql, startCountedGateway } from '../support/gateway.ts';
import { randomDisturbance } from './support/random-disturbance.ts';
import { type RandomRequest, randomRequest } from './support/random-request.ts';

const SETTINGS = {
  COST_MAX_CALLS: '100000',
  PORT: '0',
  CACHE_DEFINITIONS_MS: '3600000',
};
const DEMO = { UPSTREAM_USERNAME: 'demo', UPSTREAM_PASSWORD: 'demo' };
/** A user who may not see everything, so that some fields fail. */
const LIMITED = { UPSTREAM_USERNAME: 'clerk', UPSTREAM_PASSWORD: 'clerk' };
/** The length tells the same as the text, but that it tells how long ago something was, too. */
const NEW_EACH_TIME = ['date', 'x-request-id', 'etag', 'content-length'];
/** The first time the server looks at the request, from the second on the operation is prepared. */
const TIMES = [1, 2, 3];

/** A gateway, and what it logs. */
async function openGateway(env: Readonly<Record<string, string>>) {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(...String(chunk).trim().split('\n'));
      done();
    },
  });
  const gateway = await startGateway(readConfig({ ...SETTINGS, ...env }), createLog('info', destination));
  onTestFinished(gateway.close);

  /** Everything that a client sees and an operator reads, but what is new each time. */
  const execute = async ({ body, accept, method }: RandomRequest) => {
    lines.length = 0;
    const isGet = method === 'GET';
    const { variables, ...rest } = body;
    const search = new URLSearchParams({ ...rest, ...(variables && { variables: JSON.stringify(variables) }) });
    const response = await fetch(`${gateway.url}/graphql${isGet ? `?${search}` : ''}`, {
      method,
      headers: { accept, ...(isGet ? {} : { 'content-type': 'application/json' }) },
      ...(isGet ? {} : { body: JSON.stringify(body) }),
    });
    const seen = [...response.headers]
      .filter(([name]) => !NEW_EACH_TIME.includes(name))
      // What is left of the time for which an answer serves goes by.
      .map(([name, value]) => [name, value.replace(/max-age=\d+/, 'max-age=some')]);
    const text = (await response.text()).replaceAll(response.headers.get('x-request-id') ?? '', 'ID');
    return { status: response.status, headers: seen, text, logged: lines.filter(isOfRequest).map(withoutTimes) };
  };
  return { execute };
}

/** What the gateway does by itself is logged whenever it is done. */
const isOfRequest = (line: string) => line.includes('"requestId"');

function withoutTimes(line: string): object {
  const { time: _time, requestId: _id, durationMs: _duration, upstreamCalls: _calls, ...rest } = JSON.parse(line);
  // Whether an instance is read alone or by a list depends on what else is read at the moment.
  const { failures: _failures, ...lasting } = rest;
  return lasting;
}

describe('a prepared and a new operation', () => {
  it.each([
    ['everything may be seen', DEMO],
    ['something may not be seen', LIMITED],
    ['older copies may answer', { ...DEMO, STALE_IF_ERROR_MS: '3600000' }],
    ['nothing is known without asking', { ...DEMO, CACHE_DEFINITIONS_MS: '0' }],
  ])(
    'give the same bytes, status, headers and log line where %s, whatever the platform does',
    async (_where, env) => {
      const { origin, execute: askOther } = await startCountedGateway({}, { requestLimit: 0 });
      const platform = await disturbPlatform(origin);
      const [fresh, prepared] = await Promise.all(
        [1, 2].map(() => openGateway({ UPSTREAM_URL: platform.url, ...env })),
      );
      let count = 0;
      const expectEqual = async (request: RandomRequest) => {
        // A comment makes it a new document.
        const query = `${request.body.query} # ${count++}`;
        const expected = await fresh?.execute({ ...request, body: { ...request.body, query } });
        expect(lasting(await prepared?.execute(request))).toEqual(lasting(expected));
      };

      await assert(
        asyncProperty(randomRequest, randomDisturbance, nat(), async (request, disturbance, name) => {
          for (const _ of TIMES) await expectEqual(request);
          platform.disturb(disturbance);
          for (const _ of TIMES) await expectEqual(request);
          platform.disturb(() => undefined);
          await askOther(
            `mutation { updateInstance(input: { formId: "supplier", instanceId: 1, values: { name: "${name}" } }) { __typename } }`,
          );
          await expectEqual(request);
        }),
        { numRuns: 15, endOnFailure: true },
      );
    },
    120_000,
  );
});

describe('the operation of a document', () => {
  const CHANGE =
    'mutation { updateInstance(input: { formId: "supplier", instanceId: 1, values: { name: "New" } }) { __typename } }';

  it('does not run as a mutation by GET under any name once it is prepared', async () => {
    const { url, execute, calls } = await startCountedGateway();
    await execute(CHANGE);
    calls.length = 0;

    for (const name of ['', ' ', '-', '0', 'undefined']) {
      const search = new URLSearchParams({ query: CHANGE, operationName: name });
      const response = await fetch(`${url}/graphql?${search}`, { headers: { accept: 'application/json' } });
      expect(await response.json()).toMatchObject({ errors: [{ message: `Unknown operation named "${name}".` }] });
    }

    expect(calls).toEqual([]);
  });

  it('is not found by a substring of its document as its name', async () => {
    const { url, execute } = await startCountedGateway();
    await postGraphql(url, JSON.stringify({ query: 'query A {__typename}', operationName: 'A' }));
    await execute('query A {__typename}');

    for (const [operationName, query] of [
      ['A query', 'A {__typename}'],
      ['query', 'A {__typename}'],
      ['1', ':Aquery A {__typename}'],
    ]) {
      const answer = await postGraphql(url, JSON.stringify({ query, operationName }));
      expect(answer.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    }
  });

  it('is rejected as a client error when the schema has no such root type', async () => {
    const { execute } = await startCountedGateway({ LIVE_INTERVAL_MS: '0' });

    for (const _ of TIMES) {
      const { status, errors } = await execute('subscription { __typename }');
      expect(status).toBe(400);
      expect(errors).toMatchObject([
        {
          message: 'Schema is not configured to execute subscription operation.',
          extensions: { code: 'BAD_USER_INPUT', retryable: false },
        },
      ]);
    }
  });
});

/**
 * How old a copy is, and for how long a platform asks to be left alone, depends on when it is asked; whether an instance is
 * asked for alone or with others, on what is known of the others by then.
 */
const lasting = <T extends { readonly text: string } | undefined>(answer: T): T => {
  if (answer === undefined) return answer;
  const text = answer.text
    .replaceAll(/"(ageMs|retryAfterMs)":\d+/g, '"$1":0')
    .replaceAll('"operation":"getFormIntances"', '"operation":"getFormIntance"');
  return { ...answer, text };
};
