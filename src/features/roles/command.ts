import { ConfigError, createReport } from '../../config/load.ts';
import { type Command, UsageError } from '../command.ts';
import { type RolesFile, readRolesFile } from './file.ts';
import type { Role } from './role.ts';

/** `caseway roles`: prints the permissions of each role. */
export const rolesCommand: Command = {
  name: 'roles',
  maxArgs: 1,
  summary: 'prints the permissions of each role',
  usage: [
    'Usage: caseway roles [FILE]',
    '',
    'Prints the permissions of each role in a file.',
    '',
    '  FILE  the file; default: ROLES',
    '',
    'Exit code: 0; 2 for an invalid file, with each problem and its place. caseway start --check also checks the',
    'documents of roles.',
  ].join('\n'),

  async run({ args: [given], env, stdout }) {
    const path = given ?? env['ROLES'];
    if (!path) throw new UsageError('Name a file, or set ROLES; see --help.');
    const problems: string[] = [];
    const file = createReport(problems).file('ROLES', path, (content) =>
      readRolesFile(content, env['CALLER_AUTH']),
    );
    if (file === undefined) throw new ConfigError(problems);
    for (const role of file.roles.values()) stdout(describe(role, file));
  },
};

/** Returns the holders of a role, followed by its permissions. */
function describe(role: Role, { callers, claim }: RolesFile): string {
  const { name, content } = role;
  const { forms, ...others } = { ...content, schema: role.allows({ of: 'schema' }) };
  const keys = [...callers].flatMap(([caller, role]) =>
    role === name ? [`the key ${caller}`] : [],
  );
  const holders = claim ? [...keys, `tokens with ${claim.join('.')}: ${name}`] : keys;
  const verbs = Object.entries(forms).map(
    ([formId, allowed]) => `form ${formId}: ${allowed.join(', ') || 'nothing'}`,
  );
  const permissions = Object.entries(others).map(
    ([member, value]) => `${member}: ${[value].flat().join(', ') || 'none'}`,
  );
  return [`${name}: ${holders.join(', ') || 'nobody'}`, ...verbs, ...permissions].join('\n  ');
}
