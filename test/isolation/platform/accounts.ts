import { type Person, tokenOf } from './people.ts';

/** What a person may not see, by form: everything that hangs off it is answered with this status. */
export type Refusal = 403 | 404;

/** Who is known at the platform, with what they may see, and whose each token is. */
export interface Accounts {
  addUser(person: Person, refusals: ReadonlyMap<string, Refusal>): void;
  /** Gives a new token of the person. */
  issue(person: Person): string;
  /** Takes no token any more that the person has by now. */
  revoke(person: Person): void;
  personBy(credentials: { readonly name: string; readonly password: string }): Person | undefined;
  /** Whose a token is or was, and whether it is still taken. */
  holderOf(token: string): { readonly person: Person; readonly isTaken: boolean } | undefined;
  refusalOf(person: Person, formId: string): Refusal | undefined;
}

export function createAccounts(): Accounts {
  const people = new Map<string, { person: Person; refusals: ReadonlyMap<string, Refusal>; issued: number }>();
  const tokens = new Map<string, { person: Person; isTaken: boolean }>();

  return {
    addUser(person, refusals) {
      people.set(person.name, { person, refusals, issued: 0 });
    },
    issue(person) {
      const account = people.get(person.name);
      if (account === undefined) throw new Error(`${person.name} has no account`);
      const token = tokenOf(person, ++account.issued);
      tokens.set(token, { person, isTaken: true });
      return token;
    },
    revoke({ code }) {
      for (const holder of tokens.values()) if (holder.person.code === code) holder.isTaken = false;
    },
    personBy({ name, password }) {
      const person = people.get(name)?.person;
      return person?.password === password ? person : undefined;
    },
    holderOf: (token) => tokens.get(token),
    refusalOf: ({ name }, formId) => people.get(name)?.refusals.get(formId),
  };
}
