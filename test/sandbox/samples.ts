import { createSandbox, DefinitionError } from '../../sandbox/index.ts';
import { writeFolder } from '../support/folder.ts';

/** Returns the problems of a folder of definitions. */
export function problemsOf(files: Readonly<Record<string, string>>): readonly string[] {
  try {
    createSandbox({
      file: ':memory:',
      definitions: writeFolder({ 'users.yaml': USERS, ...files }),
    });
    return [];
  } catch (error) {
    if (error instanceof DefinitionError) return error.problems;
    throw error;
  }
}

/** The smallest definitions that are right: tests make them wrong. */
export const FORM = `idForm: thing
name: Thing
version: "1"
fields:
  - { name: title, label: Title, type: text, required: true }
`;
export const RULE = `cdComponent: a
cdVersion: "b-1"
descriptiveName: A rule
published: true
publishedForRest: true
inputs:
  - { name: amount, type: decimal }
outputs:
  - { name: level, type: integer, expression: amount + 1 }
`;
export const PROCESS = `idProcess: p
name: P
variables:
  - { name: amount, type: decimal }
activities:
  - cdActivity: 1
    name: First
    next:
      - { to: 2 }
  - { cdActivity: 2, name: Last }
`;

/** The definition of the user demo, who may do everything. */
export const USERS = `
users:
  - username: demo
    password: demo
    about: may do everything
    permissions:
      forms: { "*": [read, create, update, delete] }
      processes: { "*": [start, execute] }
      rules: { "*": [read, execute] }
`;
