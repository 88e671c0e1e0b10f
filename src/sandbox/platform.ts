import type { Json } from './json.ts';
import { ruleRef } from './loading/check-rules.ts';
import type { Definitions } from './loading/definitions.ts';
import type { Form, Rule, User } from './model.ts';
import { type Cases, createCases } from './storage/cases.ts';
import { openDatabase } from './storage/database.ts';
import { createDefinitionLog } from './storage/definition-log.ts';
import { createFormPicker, type PickForms } from './storage/forms.ts';
import { createInstances, type Instances } from './storage/instances.ts';
import { seedForms } from './storage/seeding.ts';
import { createTokens, type Tokens } from './storage/tokens.ts';

/** When definitions last changed, in epoch milliseconds. */
export interface ChangeTimes {
  /** Any form, also one that is gone. */
  readonly forms: number;
  readonly form: (form: Form) => number;
  readonly rule: (rule: Rule) => number;
  /** A user's permissions: they decide which forms and links a read shows. */
  readonly user: (user: User) => number;
}

/** What the operations work on. */
export interface Platform {
  readonly definitions: Definitions;
  readonly changedAtMs: ChangeTimes;
  readonly instances: Instances;
  readonly pickForms: PickForms;
  readonly cases: Cases;
}

interface PlatformOptions {
  readonly file: string;
  readonly definitions: Definitions;
  readonly now: () => number;
}

/** Opens the file, seeds it with what it has not seen, and puts the platform together over it. */
export function openPlatform({ file, definitions, now }: PlatformOptions): {
  readonly platform: Platform;
  readonly tokens: Tokens;
  close(): void;
} {
  const database = openDatabase(file);
  const { forms, seeds } = definitions;
  seedForms(database, { forms: forms.values(), seeds, now });

  const log = createDefinitionLog(database, now);
  const times = <T>(kind: string, all: Iterable<T>, idOf: (each: T) => string, contentOf: (each: T) => Json) => {
    const known = new Map([...all].map((each) => [idOf(each), log.changedAtMs(kind, idOf(each), contentOf(each))]));
    return (each: T) => known.get(idOf(each)) ?? now();
  };
  const { rules, users } = definitions;
  const changedAtMs: ChangeTimes = {
    forms: log.changedAtMs('forms', '*', [...forms.values()]),
    form: times(
      'form',
      forms.values(),
      ({ idForm }) => idForm,
      (form) => form,
    ),
    rule: times('rule', rules.values(), ruleRef, (rule) => rule),
    user: times(
      'user',
      users.values(),
      ({ username }) => username,
      ({ permissions }) => permissions,
    ),
  };

  return {
    platform: {
      definitions,
      changedAtMs,
      instances: createInstances(database, now),
      pickForms: createFormPicker(database),
      cases: createCases(database),
    },
    tokens: createTokens(database, now),
    close: () => database.close(),
  };
}
