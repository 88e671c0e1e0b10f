import { hash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';

import { ruleRef } from '../check-definitions.ts';
import { formatJson, type Json } from '../json.ts';
import type { Definitions } from '../load-definitions.ts';
import type { Form, Rule, User } from '../model.ts';

/** When definitions last changed, in epoch milliseconds. */
export interface DefinitionChanges {
  /** When any form changed. Removing a form counts. */
  readonly formsAtMs: number;
  formAtMs(form: Form): number;
  ruleAtMs(rule: Rule): number;
  /** When a user's permissions changed. They decide the forms and links in a response. */
  userAtMs(user: User): number;
}

/** Compares the definitions with the recorded ones. A definition that differs has changed now. */
export function recordDefinitions(
  database: DatabaseSync,
  { forms, rules, users }: Definitions,
  now: () => number,
): DefinitionChanges {
  const write = database.prepare(`
    INSERT INTO definition (kind, id, hash, changed_at_ms) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET hash = excluded.hash, changed_at_ms = excluded.changed_at_ms
    WHERE hash <> excluded.hash
  `);
  const read = database.prepare('SELECT changed_at_ms FROM definition WHERE kind = ? AND id = ?');

  const record = (kind: string, id: string, content: Json): number => {
    write.run(kind, id, hash('sha256', formatJson(content)), now());
    return Number(read.get(kind, id)?.['changed_at_ms']);
  };
  const recordAll = (kind: string, contents: Iterable<readonly [id: string, content: Json]>) =>
    new Map([...contents].map(([id, content]) => [id, record(kind, id, content)]));

  const formsAtMs = recordAll('form', forms);
  const rulesAtMs = recordAll('rule', rules);
  const usersAtMs = recordAll(
    'user',
    [...users.values()].map(({ username, permissions }) => [username, permissions] as const),
  );
  return {
    formsAtMs: record('forms', '*', [...forms.values()]),
    formAtMs: ({ idForm }) => formsAtMs.get(idForm) ?? now(),
    ruleAtMs: (rule) => rulesAtMs.get(ruleRef(rule)) ?? now(),
    userAtMs: ({ username }) => usersAtMs.get(username) ?? now(),
  };
}
