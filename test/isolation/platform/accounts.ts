import { type Person, tokenOf } from './people.ts';

/** What a person may not see, by form: everything that hangs off it is answered with this status. */
export type Refusal = 403 | 404;

export type Accounts = ReturnType<typeof createAccounts>;

/** Who is known at the platform, with what they may see, and whose each token is. */
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
    /** Gives a new token of the person. */
    issue(person: Person) {
      const account = people.get(person.name);
      if (account === undefined) throw new Error(`${person.name} has no account`);
      const token = tokenOf(person, ++account.issued);
      tokens.set(token, { person, isTaken: true });
      return token;
    },
    /** Takes no token any more that the person has by now. */
    revoke({ code }: Person) {
      for (const holder of tokens.values()) if (holder.person.code === code) holder.isTaken = false;
    },
    personBy({ name, password }: Pick<Person, 'name' | 'password'>) {
      const person = people.get(name)?.person;
      return person?.password === password ? person : undefined;
    },
    /** Whose a token is or was, and whether it is still taken. */
    holderOf: (token: string) => tokens.get(token),
    refusalOf: ({ name }: Person, formId: string) => people.get(name)?.refusals.get(formId),
  };
}
