import { describe, expect, it } from 'vitest';

import { executeAs } from '../identity/support.ts';
import { codeOf, startFaultyGateway } from './support/faulty-gateway.ts';
import { type Arrived, type Fault, reply } from './support/faulty-platform.ts';

const LOOK = '{ instance(formId: "bad", instanceId: 1) { value(field: "n") } }';
const CHANGE =
  'mutation { updateInstance(input: { formId: "bad", instanceId: 1, values: { n: 2 } }) { instance { value(field: "n") } } }';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toUTCString();
const sinceOf = ({ head }: Arrived) => /^if-modified-since: (.*)$/im.exec(head)?.[1]?.trim();
const callerOf = ({ head }: Arrived) => /^authorization: (.*)$/im.exec(head)?.[1]?.trim();

/** A platform whose value changes in one second and is read in another, with a 304 to conditional requests. */
const shows =
  (n: unknown, { changedAt, shownAt }: { readonly changedAt: number; readonly shownAt: number }): Fault =>
  (socket, arrived) => {
    const since = sinceOf(arrived);
    if (arrived.method !== 'GET') return reply(socket, 202);
    if (since !== undefined && Date.parse(since) >= Date.parse(at(changedAt))) return reply(socket, 304);
    const body = JSON.stringify({ idInstance: 1, values: { n } });
    reply(socket, 200, body, `Last-Modified: ${at(changedAt)}`, `Date: ${at(shownAt)}`);
  };

describe('a 304 from the platform', () => {
  it('confirms the copy of the same caller', async () => {
    const fault: Fault = (socket, arrived) => shows(callerOf(arrived), { changedAt: 0, shownAt: 10 })(socket, arrived);
    const { gatewayUrl, badly } = await startFaultyGateway(fault, { IDENTITY: 'forward' });
    const look = async (authorization: string) =>
      (await executeAs(gatewayUrl, LOOK, { authorization })).data.instance.value;

    const seen: string[] = [];
    // What is asked for again is kept.
    for (const caller of ['ann', 'bob', 'ann', 'bob', 'ann', 'bob']) seen.push(await look(caller));

    expect(seen).toEqual(['ann', 'bob', 'ann', 'bob', 'ann', 'bob']);
    expect(badly().map(sinceOf)).toEqual([undefined, undefined, undefined, undefined, at(0), at(0)]);
  });

  it('to an unconditional request causes one repeat, and never an empty result', async () => {
    const { execute, badly } = await startFaultyGateway((socket) => reply(socket, 304));

    const answer = await execute(LOOK);

    expect([answer.data, codeOf(answer)]).toEqual([{ instance: null }, 'UPSTREAM_INVALID_RESPONSE']);
    expect(badly().map(sinceOf)).toEqual([undefined, undefined]);
  });

  it('is not requested after a write by the same caller', async () => {
    const { execute, badly } = await startFaultyGateway(shows(1, { changedAt: 0, shownAt: 10 }));

    for (const query of [LOOK, LOOK, LOOK, CHANGE]) await execute(query);

    expect(badly().map((arrived) => [arrived.method, sinceOf(arrived)])).toEqual([
      ['GET', undefined],
      ['GET', undefined],
      ['GET', at(0)],
      ['PATCH', undefined],
      ['GET', undefined],
    ]);
  });
});
