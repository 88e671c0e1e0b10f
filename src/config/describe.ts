import { GROUPS, SETTINGS, type Setting } from './settings.ts';

const all = () => Object.entries<Setting>(SETTINGS);

/** What most teams set, in the order in which they come to it. */
const ESSENTIALS: readonly (keyof typeof SETTINGS)[] = [
  'UPSTREAM_URL',
  'UPSTREAM_AUTH',
  'UPSTREAM_USERNAME',
  'UPSTREAM_PASSWORD',
  'UPSTREAM_DIALECT',
  'IDENTITY',
  'CALLER_AUTH',
  'PORT',
  'HOST',
  'NODE_ENV',
  'PLAYGROUND',
  'CORS_ORIGINS',
];

/** The settings for `--help`: the essential ones, then all others in groups. */
export function describeSettings(): string {
  const names = Object.keys(SETTINGS) as (keyof typeof SETTINGS)[];
  const others = names.filter((name) => !ESSENTIALS.includes(name));
  const groups = GROUPS.map((group) => ({
    title: group,
    names: others.filter((name) => SETTINGS[name].group === group),
  }));
  return [{ title: 'Essential settings', names: ESSENTIALS }, ...groups]
    .filter((group) => group.names.length > 0)
    .map((group) => [`${group.title}:`, ...describeGroup(group.names)].join('\n'))
    .join('\n\n');
}

function describeGroup(names: readonly (keyof typeof SETTINGS)[]): string[] {
  const width = Math.max(...names.map((name) => name.length));
  return names.map((name) => {
    const setting: Setting = SETTINGS[name];
    const facts = [setting.unit, defaultOf(setting), setting.isSecret ? `or ${name}_FILE` : ''].filter(Boolean);
    const extra = facts.length > 0 ? ` (${facts.join('; ')})` : '';
    return `  ${name.padEnd(width)}  ${plain(setting.description + extra)}`;
  });
}

/** `docs/settings.md`: one table for each group. */
export function settingsMarkdown(): string {
  const tables = GROUPS.map((group) => {
    const rows = all()
      .filter(([, setting]) => setting.group === group)
      .map(([name, setting]) => {
        const unit = setting.unit === '' ? 'text' : setting.unit;
        const fallback = setting.default === undefined ? (setting.whenUnset ?? '') : `\`${setting.default}\``;
        const file = setting.isSecret ? ` Secret; also as \`${name}_FILE\`.` : '';
        return `| \`${name}\` | ${unit} | ${fallback} | ${setting.description}${file} |`;
      });
    return [`## ${group}`, '', '| Setting | Value | Default | Description |', '|---|---|---|---|', ...rows].join('\n');
  });
  return [
    '# Settings',
    'All settings are environment variables, or lines of a file `.env` in the working folder; the environment goes first.\n' +
      'An empty value counts as not set. A secret may also be in the file that `NAME_FILE` names. Every problem is reported at\n' +
      'once at the start, and a name that looks like a setting and is none is reported with the nearest real one.',
    'This file is written by `npm run -s settings` from `src/config/settings.ts`.',
    ...tables,
    TRACES,
  ]
    .join('\n\n')
    .concat('\n');
}

/** Variables that are no settings of the gateway. */
const TRACES = `## Traces

Traces are set up by OpenTelemetry's own variables, which are not in these tables: \`OTEL_EXPORTER_OTLP_ENDPOINT\`, \`OTEL_SERVICE_NAME\`,
\`OTEL_TRACES_SAMPLER\` and others. [Operations](operations.md#traces) names them.`;

/** `.env.example`: every setting with its default. */
export function envExample(): string {
  const groups = GROUPS.map((group) => {
    const lines = all()
      .filter(([, setting]) => setting.group === group)
      .map(([name, setting]) => `# ${name}=${setting.default ?? ''}`);
    return [`# ${group}`, ...lines].join('\n');
  });
  const head =
    '# Copy to .env and set what differs; it is read from the folder that Caseway is started in.\n' +
    '# docs/settings.md describes each setting.';
  return `${[head, ...groups].join('\n\n')}\n`;
}

function defaultOf({ default: value, whenUnset }: Setting): string {
  if (value !== undefined) return `default ${value}`;
  return whenUnset === undefined ? '' : `default: ${whenUnset}`;
}

const plain = (text: string): string => text.replaceAll('`', '');
