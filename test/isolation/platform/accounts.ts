import { type Person, tokenOf } from './people.ts';

/** The status of everything below a form that a person may not see. */
export type Refusal = 403 | 404;

export type Accounts = ReturnType<typeof createAccounts>;

/**
 * Creates the platform's accounts: the persons, the forms that each may not see, and the owner of
 * each token.
 */
export function createAccounts() {
  const people = new Map<
    string,
    { person: Person; refusals: ReadonlyMap<string, Refusal>; issued: number }
  >();
  const tokens = new Map<string, { person: Person; isTaken: boolean }>();

  return {
    addUser(person: Person, refusals: ReadonlyMap<string, Refusal>) {
      people.set(person.name, { person, refusals, issued: 0 });
    },
    /** Issues a new token for the person. */
    issue(person: Person) {
      const account = people.get(person.name);
      if (account === undefined) throw new Error(`${person.name} has no account`);
      const token = tokenOf(person, ++account.issued);
      tokens.set(token, { person, isTaken: true });
      return token;
    },
    /** Revokes all of the person's tokens. */
    revoke({ code }: Person) {
      for (const holder of tokens.values()) if (holder.person.code === code) holder.isTaken = false;
    },
    personBy({ name, password }: Pick<Person, 'name' | 'password'>) {
      const person = people.get(name)?.person;
      return person?.password === password ? person : undefined;
    },
    /** Returns the owner of a token, and whether the token is still valid. */
    holderOf: (token: string) => tokens.get(token),
    refusalOf: ({ name }: Person, formId: string) => people.get(name)?.refusals.get(formId),
  };
}
