import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';

import { codeOf, PATIENT, startFaultyGateway } from './support/faulty-gateway.ts';
import { answers, answerWell, CANARY, type Fault, RULE, writes } from './support/faulty-platform.ts';

const rule = (name: string) => `{ rule(component: "${name}", version: "1") { name } }`;
const start = (name: string) => `mutation { startCase(input: { process: "${name}" }) { case { caseId } } }`;
const many = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Closes a connection when it brings its twentieth request, as a server does that had just given it up. */
const closesIdle: Fault = (socket, arrived) =>
  arrived.onSocket >= 20 ? socket.resetAndDestroy() : answerWell(socket, arrived);

describe('a kept-alive connection that the platform closes while it is reused', () => {
  it('fails no read', async () => {
    const { execute } = await startFaultyGateway(closesIdle);

    const codes: (string | undefined)[] = [];
    for (const index of many(200)) codes.push(codeOf(await execute(rule(`bad${index}`))));

    expect(codes.filter(Boolean)).toEqual([]);
  });

  it('never makes a write happen twice', async () => {
    const { execute, badly } = await startFaultyGateway(closesIdle);

    for (const index of many(100)) await execute(start(`bad${index}!`));

    const sent = badly().map(({ body }) => body);
    expect(new Set(sent).size).toBe(sent.length);
  });
});

describe('extra bytes after a response', () => {
  it('are never taken for the next response', async () => {
    const smuggled = '{"name":"smuggled","parameters":[]}';
    // In one piece: bytes that arrive after the next request was sent cannot be distinguished from its response.
    const twice = [RULE, smuggled].map((body) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    const fault = writes(twice.join(''));
    const { execute } = await startFaultyGateway(fault);

    const names: unknown[] = [];
    for (const name of ['bad', 'good', 'better']) names.push((await execute(rule(name))).data.rule.name);

    expect(names).toEqual(['Rule', 'Rule', 'Rule']);
  });
});

describe('an error response whose body is not read', () => {
  it('frees its connection for queued calls', async () => {
    const fault = answers(403, CANARY.body + 'x'.repeat(1_000_000));
    const { execute } = await startFaultyGateway(fault, PATIENT);

    const codes = await Promise.all(many(200).map((index) => execute(rule(`bad${index}`)).then(codeOf)));

    expect(new Set(codes)).toEqual(new Set(['FORBIDDEN']));
    expect((await execute(rule('good'))).errors).toBeUndefined();
  });
});

describe('a redirect', () => {
  it('to another host is not followed', async () => {
    let hits = 0;
    const other = createServer((_request, response) => {
      hits++;
      response.end(RULE);
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
    const { execute } = await startFaultyGateway(answers(307, CANARY.body, `Location: ${location}`));

    const answers307 = [await execute(rule('bad')), await execute(start('bad'))];

    expect(answers307.map(codeOf)).toEqual(['UPSTREAM_INVALID_RESPONSE', 'OUTCOME_UNKNOWN']);
    expect(JSON.stringify(answers307)).not.toContain(location);
    expect(hits).toBe(0);
  });
});
