import { isDeepStrictEqual } from 'node:util';

import { type End, openConnection } from '../load/connection.ts';
import type { Cell } from './cell.ts';
import { CONTENDERS } from './contender.ts';
import { createWriter, type RequestTemplate } from './request.ts';
import type { Arguments } from './workloads.ts';

/** Gives the body by which a server answers a request. @throws {Error} when it is no 200. */
export async function answerOf(
  port: number,
  template: RequestTemplate,
  kind: Arguments,
  from: number,
): Promise<string> {
  const end = await new Promise<End>((resolve) => {
    const connection = openConnection(port, () => undefined);
    connection.send(createWriter(template, kind, from)(), (said) => {
      connection.close();
      resolve(said);
    });
  });
  if (typeof end === 'object' && end.status === 200) return end.body;
  throw new Error(`${template.path} was answered by ${typeof end === 'object' ? `${end.status} ${end.body}` : end}`);
}

/**
 * Asks everyone the same, and compares the data with those of the first one. An id may be a number or its digits: Tailcall
 * hands on what the platform wrote.
 *
 * @throws {Error} naming who answers something else: then nothing that is measured would mean anything.
 */
export async function checkAgreement(cells: readonly Cell[]): Promise<void> {
  const first = new Map<string, unknown>();
  for (const { contender, workload, kind, template } of cells) {
    const { data } = JSON.parse(await answerOf(contender.port, template, kind, 7), idsAsText);
    const which = `${workload.name}, ${kind} arguments`;
    if (!first.has(which)) first.set(which, data);
    if (data === undefined || !isDeepStrictEqual(data, first.get(which))) {
      throw new Error(`${CONTENDERS[contender.name]} answers ${which} with other data than the first.`);
    }
  }
}

const idsAsText = (key: string, value: unknown) => (key === 'instanceId' ? String(value) : value);
