import { isDeepStrictEqual } from 'node:util';

import { createRequestWriter, type RequestTemplate } from '../load/requests.ts';
import type { Server } from './servers.ts';
import type { Workload } from './workloads.ts';

/** Checks that all servers give the same answers. Otherwise a comparison means nothing. */
export interface Agreement {
  /**
   * Compares a server's answer to a workload with the first server's.
   *
   * @throws {Error} with the server's name when they differ.
   */
  check(server: Server, workload: Workload, port: number): Promise<void>;
}

/** The number of the compared request. Measured requests have other numbers. */
const NUMBER = 7;

export function createAgreement(): Agreement {
  const first = new Map<Workload, unknown>();
  return {
    async check({ title, kind }, workload, port) {
      const body = withoutForm(await answerOf(port, workload.requests[kind]));
      // The typed graph returns integers of 64 bits as strings.
      const { data } = JSON.parse(body, (_key, value) =>
        typeof value === 'number' ? String(value) : value,
      );
      if (!first.has(workload)) first.set(workload, data);
      if (data === undefined || !isDeepStrictEqual(data, first.get(workload))) {
        const start = body.slice(0, 300);
        throw new Error(`${title} differs from the first server in ${workload.name}: ${start}`);
      }
    },
  };
}

/** Renames the form, since the typed graph is queried for another form with the same instances. */
const withoutForm = (body: string): string =>
  body.replaceAll(`"Form thing-${NUMBER}"`, '"Form thing"');

async function answerOf(port: number, request: RequestTemplate): Promise<string> {
  const { text } = createRequestWriter(request, 'agreement', NUMBER)();
  const [, body = ''] = text.split('\r\n\r\n');
  const { method, path, headers } = request;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body });
  const answer = await response.text();
  if (response.status !== 200) throw new Error(`${path}: HTTP ${response.status} ${answer}`);
  return answer;
}
