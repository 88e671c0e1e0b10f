import { type Command, UsageError } from '../../command.ts';
import { createReport } from '../../config/config.ts';
import { ConfigError } from '../../config/load.ts';
import { isJsonObject } from '../../core/json.ts';
import { type RolesFile, readRolesFile } from './file.ts';
import type { Role } from './role.ts';

/** `npm run -s roles`: who may do what. */
export const rolesCommand: Command = {
  name: 'roles',
  maxArgs: 1,
  options: { status: { type: 'string' } },
  summary: 'prints who may do what, and which rights nobody has used',
  usage: [
    'Usage: caseway roles [FILE]               of a file, or of that which ROLES names',
    '       caseway roles [FILE] --status URL  also which rights nobody has used since the gateway was started',
    '',
    'The URL is that of the port of the metrics, such as http://localhost:9464. Nothing else is called.',
  ].join('\n'),

  async run({ args: [given], options: { status }, env, stdout }) {
    const path = given ?? env['ROLES'];
    if (!path) throw new UsageError('Name a file, or set ROLES; see --help.');
    const problems: string[] = [];
    const file = createReport(problems).file('ROLES', path, (content) => readRolesFile(content));
    if (file === undefined) throw new ConfigError(problems);
    const unused = typeof status === 'string' ? await readUnused(status) : new Map<string, string>();
    for (const role of file.roles.values()) {
      for (const line of describe(role, file)) stdout(line);
      const known = unused.get(`Role ${role.name}`);
      if (known !== undefined) stdout(`  ${known}`);
    }
  },
};

/** Gives lines: who has a role, and each of its rights. */
function describe(role: Role, { callers, claim }: RolesFile): readonly string[] {
  const { name, content } = role;
  const { forms, ...others } = { ...content, schema: role.allows('schema', {}) };
  const keys = [...callers].flatMap(([caller, held]) => (held === name ? [`the key ${caller}`] : []));
  const tokens = claim ? [`tokens with ${claim.join('.')}: ${name}`] : [];
  const verbs = Object.entries(forms).map(
    ([formId, may]) => `  ${formId === '*' ? 'all other forms' : `form ${formId}`}: ${may.join(', ') || 'nothing'}`,
  );
  const rights = Object.entries(others).flatMap(([member, value]) => {
    const text = Array.isArray(value) ? value.join(', ') : value;
    return text ? [`  ${member}: ${text}`] : [];
  });
  return [`${name}: ${[...keys, ...tokens].join(', ') || 'nobody'}`, ...verbs, ...rights];
}

/** Reads the lines on roles of a gateway's status. */
async function readUnused(url: string): Promise<ReadonlyMap<string, string>> {
  try {
    const response = await fetch(new URL('/status', url), { headers: { accept: 'application/json' } });
    const status: unknown = await response.json();
    const lines = isJsonObject(status) ? (status['lines'] as readonly { title: string; text: string }[]) : [];
    return new Map(lines.map(({ title, text }) => [title, text]));
  } catch {
    throw new UsageError(`No gateway answers at ${url}: give the address of its port for metrics.`);
  }
}
