import { type Command, UsageError } from '../../command.ts';
import { ConfigError, readJsonFile } from '../../config/load.ts';
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
    const file = readFile(path);
    const unused = typeof status === 'string' ? await readUnused(status) : new Map<string, string>();
    for (const role of file.roles.values()) {
      for (const line of describe(role, file)) stdout(line);
      const known = unused.get(`Role ${role.name}`);
      if (known !== undefined) stdout(`  ${known}`);
    }
  },
};

function readFile(path: string): RolesFile {
  const json = readJsonFile(path);
  const file = 'value' in json ? readRolesFile(json.value) : json;
  if ('value' in file) return file.value;
  throw new ConfigError(file.problems.map((problem) => `${path}: ${problem}`));
}

/** Gives lines: who has a role, and each of its rights. */
function describe({ name, content, hasSchema }: Role, { callers, claim }: RolesFile): readonly string[] {
  const keys = [...callers].flatMap(([caller, role]) => (role === name ? [`the key ${caller}`] : []));
  const tokens = claim ? [`tokens with ${claim.join('.')}: ${name}`] : [];
  const forms = Object.entries(content.forms).map(
    ([formId, verbs]): Part => [formId === '*' ? 'all other forms' : `form ${formId}`, verbs.join(', ') || 'nothing'],
  );
  const parts: readonly Part[] = [
    ...forms,
    ['processes', content.processes.join(', ')],
    ['activities', content.execute && 'executes them'],
    ['attributes', content.attributes && 'may send them'],
    ['rules', content.rules.join(', ')],
    ['extensions', content.extensions.join(', ')],
    ['documents', content.documents && `only those of ${content.documents}`],
    ['calls', content.callsPerMinute && `${content.callsPerMinute} a minute`],
    ['schema', hasSchema && 'is shown'],
  ];
  const rights = parts.flatMap(([what, text]) => (text ? [`  ${what}: ${text}`] : []));
  return [`${name}: ${[...keys, ...tokens].join(', ') || 'nobody'}`, ...rights];
}

type Part = readonly [what: string, text: string | false | 0 | undefined];

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
