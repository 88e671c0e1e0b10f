import { describe, expect, it } from 'vitest';

import { openSandbox, shareCalls } from './support.ts';

const SUBMIT = '9007199254740995';
const MANAGER = '1002';
const DIRECTOR = '9007199254740997';
const APPROVAL = { managerApproves: true };
const request = (amount: number, more: object = {}) => ({
  idProcess: 'purchase-approval',
  values: { title: 'Load cells', amount, ...more },
});

const call = shareCalls();

async function openCase(amount: number, more: object = {}) {
  const sandbox = await openSandbox();
  const call = await sandbox.as();
  const { text } = await call('POST', '/cases', request(amount, more));
  const idCase = /"idCase":(\d+)/.exec(text)?.[1] ?? '';
  const execute = (cdActivity: string, values: object = {}) =>
    call('PUT', `/cases/${idCase}/activities/${cdActivity}/execute`, { values });
  return { call, text, idCase, execute };
}

describe('startCase', () => {
  it('starts the first activity, and keeps every digit of both ids', async () => {
    const { call, text } = await openCase(100);
    expect(text).toBe(
      '{"idCase":9007199254740993,"idProcess":"purchase-approval","status":"running",' +
        `"activity":{"cdActivity":${SUBMIT},"name":"Submit request"}}`,
    );
    const next = await call('POST', '/cases', request(100));
    expect(next.text).toContain('"idCase":9007199254740994');
  });

  it.each([
    ['a missing required value', { ...request(1), values: { title: 'x' } }, '"amount"'],
    ['a value of the wrong type', request(1, { urgent: 'yes' }), '"urgent"'],
    ['a value that the process does not know', request(1, { colour: 'red' }), '"colour"'],
    ['values that are not an object', { ...request(1), values: [] }, '"values"'],
    ['no idProcess', { values: {} }, '"idProcess"'],
  ])('rejects %s', async (_what, body, named) => {
    const answer = await call('POST', '/cases', body);
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(named)]);
  });
});

describe('executeCurrentActivity', () => {
  it.each([
    ['a small and urgent one is ordered at once', 100, { urgent: true }, [], '1004'],
    ['a small one goes to the manager', 100, {}, [], '1002'],
    ['a middling one is ordered after the manager', 900, {}, [APPROVAL], '1004'],
    ['a large one goes on to the director', 9000, {}, [APPROVAL], DIRECTOR],
  ])('%s', async (_what, amount, more, approvals, current) => {
    const { execute } = await openCase(amount, more);
    let { text } = await execute(SUBMIT);
    for (const values of approvals) text = (await execute(MANAGER, values)).text;
    expect(text).toContain(`"status":"running","activity":{"cdActivity":${current},`);
  });

  it('returns the executed activity with every digit, and completes a case at its end', async () => {
    const { idCase, execute } = await openCase(9000);
    await execute(SUBMIT);
    await execute(MANAGER, APPROVAL);
    const { status, text } = await execute(DIRECTOR, { directorApproves: false });
    expect(status).toBe(202);
    expect(text).toBe(
      `{"idCase":${idCase},"executed":${DIRECTOR},"status":"completed","activity":null}`,
    );
  });

  it('completes a case after an activity that nothing follows, and executes nothing in it any more', async () => {
    const { execute } = await openCase(10, { urgent: true });
    await execute(SUBMIT);
    const last = await execute('1004', { orderNumber: 'PO-7' });
    expect(last.body).toMatchObject({ status: 'completed', activity: null });
    expect((await execute('1004')).body).toMatchObject({ errorCode: 'CASE_COMPLETED' });
  });

  it('requires the values of an activity, and does not advance without them', async () => {
    const { execute } = await openCase(900);
    await execute(SUBMIT);
    const { status, body } = await execute(MANAGER);
    expect([status, body.message]).toEqual([
      400,
      expect.stringContaining('"managerApproves" is required'),
    ]);
    expect((await execute(MANAGER, APPROVAL)).status).toBe(202);
  });

  it('rejects an activity that is not the current one, and names the current one', async () => {
    const { execute } = await openCase(900);
    const { status, body } = await execute(DIRECTOR);
    expect([status, body.errorCode]).toEqual([400, 'ACTIVITY_NOT_CURRENT']);
    expect(body.message).toContain(`${SUBMIT} ("Submit request")`);
  });

  it.each([
    ['a rounded id', '9007199254740992', SUBMIT, 'CASE_NOT_FOUND'],
    ['an id beyond 64 bits', '9223372036854775808', SUBMIT, 'CASE_NOT_FOUND'],
    ['an id that is not a number', 'abc', SUBMIT, 'CASE_NOT_FOUND'],
    ['a rounded activity', '9007199254740993', '9007199254740996', 'ACTIVITY_NOT_FOUND'],
    ['an activity that is not a number', '9007199254740993', '1e3', 'ACTIVITY_NOT_FOUND'],
  ])('responds with 404 for %s', async (_what, idCase, cdActivity, errorCode) => {
    const { call } = await openCase(100);
    const path = `/cases/${idCase}/activities/${cdActivity}/execute`;
    const { status, body } = await call('PUT', path, { values: {} });
    expect([status, body.errorCode]).toEqual([404, errorCode]);
  });

  it('keeps the digits of an integer in the values of a case', async () => {
    const body =
      '{"idProcess":"purchase-approval","values":{"title":"x","amount":1,"purchaseRequest":9007199254740993}}';
    expect((await call('POST', '/cases', body)).status).toBe(201);
    expect((await call('POST', '/cases', body.replace('40993', '40993.5'))).status).toBe(400);
  });
});
