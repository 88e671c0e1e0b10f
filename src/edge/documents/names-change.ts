import { asksForChange } from '../../graphql/asks-for-change.ts';
import type { Documents } from './index.ts';

/** The members that name a document. */
const MEMBERS = ['documentId', 'sha256Hash'] as const;
/** A document's name in a body, found without parsing it. */
const NAME = new RegExp(String.raw`"(?:${MEMBERS.join('|')})"\s*:\s*"([^"\\]{1,256})"`);

/** Makes what tells whether a body names a document that holds a mutation. */
export function createNamesChange({ named }: Documents): (body: Buffer) => boolean {
  return (body) => {
    if (!MEMBERS.some((member) => body.includes(member))) return false;
    const id = NAME.exec(body.toString('latin1'))?.[1];
    return id !== undefined && asksForChange(named(id));
  };
}
