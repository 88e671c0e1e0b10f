import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFolder } from '../../support/folder.ts';
import type { GraphqlAnswer } from '../../support/gateway.ts';

/** A line of an audit. */
// biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape.
export type Line = Readonly<Record<string, any>>;

/** The place of an audit that ends with the test. */
export const auditFile = (): string => join(writeFolder({}), 'audit.jsonl');

/** Returns the complete lines of an audit. A partly written line is left out. */
export const readLines = (file: string): readonly Line[] => parseLines(readFileSync(file, 'utf8'));

export const parseLines = (text: string): readonly Line[] =>
  text.split('\n').flatMap((line) => {
    try {
      return JSON.parse(line) as Line;
    } catch {
      return [];
    }
  });

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export const UPDATE = `mutation Rename($key: ID, $name: String!) {
  updateInstance(input: { formId: "supplier", instanceId: "1", values: { name: $name }, idempotencyKey: $key }) {
    instance { instanceId }
  }
}`;

export const codesOf = ({ errors = [] }: GraphqlAnswer) =>
  errors.map(({ extensions }) => extensions['code']);
