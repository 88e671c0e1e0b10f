import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

import { ReceivedBytes, RequestState } from '../../src/core/request-state.ts';
import {
  createFormIntance,
  deleteFormIntance,
  updateFormIntance,
} from '../../src/upstream/resources/instances.ts';
import { getParameters } from '../../src/upstream/resources/rules.ts';
import { failureOf, openHttp, openPlatform, recordOf, startServer } from './support/open.ts';
import { startRawServer } from './support/raw-server.ts';

const JSON_TYPE = 'application/json';
const FORM = { idForm: 'a', name: 'Käse – ok' };
const BODY = JSON.stringify(FORM);
const KEY = { formId: 'a', instanceId: '1' };
const VALUES = { values: { title: 'b' } };

type Headers = Readonly<Record<string, string | string[]>>;

/** Reads a form from a platform that sends these headers and this body. */
async function readName(
  headers: Headers,
  body: string | Buffer = BODY,
): Promise<string | undefined> {
  const { readForm } = await openPlatform({ status: 200, headers, body });
  return (await recordOf(readForm()))?.name;
}

describe('a JSON body', () => {
  it.each<string | string[]>([
    [JSON_TYPE, JSON_TYPE],
    [JSON_TYPE, 'application/json; charset=utf-8'],
    'application/json,charset=utf-8',
    'application/json charset=utf-8',
    'application/json;',
    'application/json;;charset=utf-8',
    'APPLICATION/JSON; CHARSET=UTF-8',
    'application/json; odata.metadata=minimal; charset=utf-8',
    'application/vnd.api+json',
    'application/x-json',
    'text/json;charset=utf8',
    'application/json; charset="utf-8"',
    "application/json; charset='utf-8'",
    'application/json; charset="utf-8',
    'application/json; charset=',
    'application/json; charset=null',
    'application/json; charset=utf-8; charset=utf-8',
    'json',
    'utf-8',
    '; charset=utf-8',
    ', ,',
    '=;"=',
  ])('is read where its type comes as %j', async (type) => {
    expect(await readName({ 'content-type': type })).toBe('Käse – ok');
  });

  it.each<string | string[]>([
    'text/html',
    'text/html, application/json',
    [JSON_TYPE, 'text/html; charset=utf-8'],
    'application/xhtml+xml',
    'text/plain, application/json',
    'image/png',
    'application/jsonp',
  ])('is not read where its type comes as %j', async (type) => {
    await expect(readName({ 'content-type': type })).rejects.toMatchObject({
      failure: 'malformed',
      status: 200,
    });
  });

  it('is read, and HTML is not, where one platform sends them in turns', async () => {
    let type = JSON_TYPE;
    const { readForm } = await openPlatform(() => ({
      status: 200,
      headers: { 'content-type': type },
      body: BODY,
    }));

    for (const [next, outcome] of [
      [JSON_TYPE, { name: 'Käse – ok' }],
      ['text/html', { failure: 'malformed' }],
      [JSON_TYPE, { name: 'Käse – ok' }],
    ] as const) {
      type = next;
      const reading = recordOf(readForm());
      expect(await reading.catch((error: unknown) => error)).toMatchObject(outcome);
    }
  });

  it.each([
    ['utf-16', Buffer.from(`\u{feff}${BODY}`, 'utf16le')],
    ['ISO-8859-15', Buffer.from(BODY.replace('–', '-'), 'latin1')],
  ])(
    'is decoded by the charset %s, also where that comes twice or in other words',
    async (charset, body) => {
      for (const parameter of [
        `; charset=${charset}`,
        `,charset='${charset}'`,
        ` charset="${charset}"`,
      ]) {
        const type = `application/json${parameter}`;
        expect(await readName({ 'content-type': [type, type] }, body)).toMatch(/^Käse . ok$/);
      }
    },
  );
});

describe('a response without a body', () => {
  it.each<Headers>([
    { 'content-type': 'text/html; charset=UTF-8' },
    { 'content-type': 'text/plain', 'content-length': '0' },
    { 'content-type': 'application/xhtml+xml', 'content-encoding': 'gzip' },
    { 'content-type': 'image/png', 'content-encoding': 'br' },
    {},
  ])('has done what a change wants, whatever its headers: %j', async (headers) => {
    for (const status of [200, 201, 202, 204]) {
      const { upstream } = await openPlatform({
        status,
        headers: { ...headers, location: '/v1.0/forms/a/instances/7' },
      });

      await upstream.change(updateFormIntance, { ...KEY, ...VALUES });
      await upstream.change(deleteFormIntance, KEY);
      const { instanceId } = await upstream.change(createFormIntance, { formId: 'a', ...VALUES });

      expect(instanceId).toBe('7');
    }
  });

  it('may have a line end', async () => {
    const { upstream } = await openPlatform({
      status: 202,
      headers: { 'content-type': 'text/html' },
      body: '\r\n',
    });

    await expect(upstream.change(deleteFormIntance, KEY)).resolves.toBeUndefined();
  });

  it('has no resource, whatever its type', async () => {
    for (const type of ['text/html', JSON_TYPE, 'image/png']) {
      const { upstream } = await openPlatform({
        status: 200,
        headers: { 'content-type': type },
        body: '',
      });
      const reading = upstream.read(getParameters, { component: 'a', version: '1' });

      await expect(reading).rejects.toMatchObject({ failure: 'malformed' });
    }
  });

  it('may have a text that is no JSON: the Location of a creation has its id', async () => {
    const headers = { location: '/v1.0/forms/a/instances/9223372036854775807' };
    const { upstream } = await openPlatform({ status: 201, headers, body: 'Created' });

    const { instanceId } = await upstream.change(createFormIntance, { formId: 'a', ...VALUES });

    expect(instanceId).toBe('9223372036854775807');
  });

  it.each([
    ['text/plain', 'OK'],
    ['text/plain', 'Deleted 1 row'],
    [undefined, 'Accepted'],
    [JSON_TYPE, '{"success":true}'],
    [JSON_TYPE, '"done"'],
  ])('may have a text of type %s that reports no failure: %s', async (type, body) => {
    const headers = type === undefined ? {} : { 'content-type': type };
    const { upstream } = await openPlatform({ status: 200, headers, body });

    await expect(upstream.change(deleteFormIntance, KEY)).resolves.toBeUndefined();
  });

  it.each([
    [JSON_TYPE, '{"success":false,"mess'],
    [JSON_TYPE, '{"success":false,"retryIn":NaN}'],
    [JSON_TYPE, ')]}\',\n{"success":false}'],
    [JSON_TYPE, '{"success":false}\n{"id":1}'],
    [JSON_TYPE, '{"success":false}\0'],
    [JSON_TYPE, '\u{feff}\u{feff}{"success":false}'],
    ['application/problem+json', 'Locked'],
    ['application/problem+xml', '<problem><status>423</status></problem>'],
    ['application/xml', '\n<fault><code>E1</code></fault>'],
    ['text/plain', '<!DOCTYPE html><html>login</html>'],
    [undefined, '<html><form action=login></html>'],
  ])('leaves the outcome of a change unknown if it cannot be read: %s, %j', async (type, body) => {
    const headers = type === undefined ? {} : { 'content-type': type };
    const { upstream } = await openPlatform({ status: 200, headers, body });

    for (const change of [
      upstream.change(updateFormIntance, { ...KEY, ...VALUES }),
      upstream.change(deleteFormIntance, KEY),
    ]) {
      await expect(change).rejects.toMatchObject({ failure: 'outcome-unknown', status: 200 });
    }
  });

  it('is no page: a body of HTML leaves the outcome of a change unknown', async () => {
    const headers = { 'content-type': 'text/html' };
    const { upstream } = await openPlatform({ status: 202, headers, body: '<html>' });

    await expect(upstream.change(deleteFormIntance, KEY)).rejects.toMatchObject({
      failure: 'outcome-unknown',
    });
  });
});

describe('a header that comes twice', () => {
  it('is one value where both are equal', async () => {
    const date = 'Sat, 28 Nov 2026 19:00:00 GMT';
    const headers = {
      date: [date, date],
      'x-total-count': ['5', '5'],
      link: ['</a>; rel="self"', '</b>; rel="next"'],
    };
    const { url } = await startServer(() => ({ status: 200, headers, body: '{}' }));

    const response = await openHttp(url)();

    expect(response.headers).toMatchObject({
      date,
      'x-total-count': '5',
      link: '</a>; rel="self", </b>; rel="next"',
    });
  });

  it('gives the token of variant A', async () => {
    const issue = () => ({ status: 201, headers: { authorization: ['token', 'token'] } });
    const { readForm, requests } = await openPlatform(
      { status: 200, body: FORM },
      { variant: 'A', issue },
    );

    await readForm();

    expect(requests[0]?.headers['authorization']).toEqual(['token']);
  });
});

describe('a content coding', () => {
  it.each<[name: string | string[], body: Buffer]>([
    ['gzip', gzipSync(BODY)],
    ['GZIP', gzipSync(BODY)],
    ['x-gzip', gzipSync(BODY)],
    [['gzip', 'gzip'], gzipSync(BODY)],
    ['gzip, gzip', gzipSync(BODY)],
    ['identity, gzip', gzipSync(BODY)],
    ['gzip,utf-8', gzipSync(BODY)],
    ['deflate', deflateSync(BODY)],
    ['deflate', deflateRawSync(BODY)],
    ['br', brotliCompressSync(BODY)],
    ['UTF-8', Buffer.from(BODY)],
    ['', Buffer.from(BODY)],
    ['none', Buffer.from(BODY)],
    ['IDENTITY, identity', Buffer.from(BODY)],
  ])('%j is read', async (coding, body) => {
    expect(await readName({ 'content-type': JSON_TYPE, 'content-encoding': coding }, body)).toBe(
      'Käse – ok',
    );
  });

  it.each<[name: string, body: Buffer]>([
    ['gzip', Buffer.from(BODY)],
    ['gzip', gzipSync(BODY).subarray(0, 30)],
    ['deflate', Buffer.from(BODY)],
    ['br', Buffer.from(BODY)],
    ['gzip, br', brotliCompressSync(gzipSync(BODY))],
    ['compress', Buffer.from([0x1f, 0x9d, 0x90])],
  ])('%j that the body does not have is a fault', async (coding, body) => {
    const headers = { 'content-type': JSON_TYPE, 'content-encoding': coding };

    await expect(readName(headers, body)).rejects.toMatchObject({
      failure: 'malformed',
      isFinal: true,
    });
  });

  it('is read of an error', async () => {
    const headers = { 'content-encoding': 'gzip', 'content-type': JSON_TYPE };
    const body = gzipSync('{"errorCode":"LOCKED","message":"by jdoe"}');
    const { readForm } = await openPlatform({ status: 423, headers, body });

    await expect(readForm()).rejects.toMatchObject({
      failure: 'rejected',
      errorCode: 'LOCKED',
      reason: 'by jdoe',
    });
  });

  it('is read in as many pieces as it comes', async () => {
    const bytes = gzipSync(BODY);
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bytes.length}\r\n\r\n`;
    const { url } = await startRawServer((socket) => {
      socket.write(head);
      for (const byte of bytes) socket.write(Buffer.from([byte]));
    });

    expect((await openHttp(url)()).text).toBe(BODY);
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])(
    '%s counts by its decoded bytes, and ends the call with the first too many',
    async (coding, compress) => {
      const MEGABYTE = 1_048_576;
      const bomb = compress(Buffer.alloc(60 * MEGABYTE));
      const counted: number[] = [];
      const received = new ReceivedBytes();
      received.add = (bytes) => void counted.push(bytes);
      const { url } = await startServer(() => ({
        status: 200,
        headers: { 'content-encoding': coding },
        body: bomb,
      }));
      const requestState = new RequestState({ received });

      const error = await failureOf(openHttp(url)({ requestState }));

      expect(error).toMatchObject({ failure: 'malformed', isFinal: true });
      expect(counted.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(10 * MEGABYTE);
    },
  );
});

describe('an unrequested 100 Continue', () => {
  const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
  const OK = `HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}`;
  const LONG = `HTTP/1.1 100\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n`;

  it.each<[how: string, parts: readonly string[]]>([
    ['in one piece with the response', [CONTINUE + OK]],
    ['in a piece of its own', [CONTINUE, OK]],
    ['in two pieces', [CONTINUE.slice(0, 15), CONTINUE.slice(15) + OK]],
    ['with its end in the next piece', [CONTINUE.slice(0, -2), CONTINUE.slice(-2), OK]],
    ['twice', [CONTINUE + CONTINUE, OK]],
    ['with headers and without a reason', [LONG + OK]],
    ['before 103', [`${CONTINUE}HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n`, OK]],
  ])('is ignored: %s', async (_how, parts) => {
    const { url, heads } = await startRawServer((socket) => {
      // Each piece is sent after the previous one was read from the socket.
      const write = ([part, ...others]: readonly string[]): void => {
        if (part !== undefined) socket.write(part, () => setImmediate(write, others));
      };
      write(parts);
    });
    const send = openHttp(url);

    expect(await send()).toMatchObject({ status: 200, text: '{}' });
    expect(await send()).toMatchObject({ status: 200, text: '{}' });
    expect(heads).toHaveLength(2);
  });

  it('is no part of a body that begins like one', async () => {
    const body = `"${CONTINUE}"`;
    const { url } = await startRawServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    });

    expect((await openHttp(url)()).text).toBe(body);
  });

  it('ends a call whose head does not end', async () => {
    const { url } = await startRawServer((socket) =>
      socket.write(`${CONTINUE.slice(0, -2)}X: ${'x'.repeat(40_000)}`),
    );

    expect(await failureOf(openHttp(url)())).toMatchObject({ failure: 'malformed' });
  });
});
