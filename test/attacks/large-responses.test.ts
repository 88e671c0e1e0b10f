import { afterEach, expect, it } from 'vitest';

import { attackBeside } from './attack.ts';
import { startPlatform } from './platform.ts';
import { type Answer, type Attack, operation, send } from './request.ts';
import { startTarget, type Target } from './target.ts';

const PAGE_BYTES = 9_000_000;
const page = (value: string) => Buffer.from(`{"items":[{"idInstance":1,"values":{"a":${value}}}]}`);

/** Pages of 9 MB, by the id of their form. */
const PAGES: Readonly<Record<string, Buffer>> = {
  objects: page(`[${'{},'.repeat(PAGE_BYTES / 3)}{}]`),
  numbers: page(`[${'1,'.repeat(PAGE_BYTES / 2)}1]`),
  rows: page(`[${'{"a":"b","n":1.5},'.repeat(PAGE_BYTES / 18)}{}]`),
  text: page(`"${'x'.repeat(PAGE_BYTES)}"`),
};
const SMALL = page('1');
/** Takes some 30 MB of memory after parsing. */
const DENSE = page(`[${'{},'.repeat(500_000)}{}]`);

/** The platform runs in this process. A busy machine may delay its responses. */
const PATIENT = () => ({ UPSTREAM_TIMEOUT_MS: '60000' });

const startPages = () =>
  startPlatform(({ url = '' }, response) => {
    // The total states that there are no more pages.
    if (url.includes('/forms/dense/')) response.setHeader('x-total-count', '1').end(DENSE);
    else response.end(PAGES[/forms\/(\w+)\//.exec(url)?.[1] ?? ''] ?? SMALL);
  });

const readPages = (formId: string, count: number) =>
  operation(
    `{ ${Array.from({ length: count }, (_, n) => `a${n}: instances(formId: "${formId}", first: 1, page: ${n + 1}) { nodes { id } }`).join(' ')} }`,
  );

let target: Target;
afterEach(() => target.stop());

it.each(Object.keys(PAGES))(
  'operations that read many pages of 9 MB of %s neither end the process nor hold up others',
  async (formId) => {
    target = await startTarget({ startPlatform: startPages, env: PATIENT });
    const codes: string[] = [];
    const others: Answer[] = [];
    const attack: Attack = {
      name: formId,
      status: [200],
      prepare: () => async (url) => {
        const attacks = [6, 6, 20, 20, 6].map((count) => send(url, readPages(formId, count)));
        for (let n = 0; n < 10; n++) others.push(await send(url, readPages(`small${n}`, 1)));
        const answers = await Promise.all(attacks);
        for (const { text } of answers) codes.push(...(text.match(/"code":"\w+"/g) ?? []));
        return answers;
      },
    };

    const { faults, stallMs } = await attackBeside(target, attack);

    expect(faults).toEqual([]);
    expect(new Set(codes)).toContain('"code":"ANSWER_TOO_LARGE"');
    expect(others.filter(({ text }) => !text.includes('{"data":{"a0":{"nodes":[{"id"'))).toEqual(
      [],
    );
    expect(stallMs).toBeLessThan(1_000);
  },
  120_000,
);

it('streams with pages of 30 MB after parsing do not end the process', async () => {
  target = await startTarget({ startPlatform: startPages });
  for (let first = 1; first <= 24; first++) {
    const query = `subscription @every(seconds: 600) { instances(formId: "dense", first: ${first}) { nodes { instanceId } } }`;
    const headers = { accept: 'text/event-stream', 'content-type': 'application/json' };
    const response = await fetch(`${target.url}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query }),
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('data: ')) text += (await reader?.read())?.value ?? '';

    expect(text).toContain('data: {"data":{"instances":{"nodes":[{"instanceId":"1"}]}}}');
  }
}, 60_000);
