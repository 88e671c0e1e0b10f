import { SETTINGS } from '../settings/index.ts';
import type { Setting } from '../settings/setting.ts';
import type { Command } from './command.ts';

/** Gives what `--help` prints: the commands and every setting. */
export function formatHelp(commands: readonly Command[]): string {
  const settings = Object.entries<Setting<unknown>>(SETTINGS).map(([name, setting]) => formatSetting(name, setting));
  return [
    'Caseway: one GraphQL endpoint in front of a forms, cases and rules platform.',
    '',
    'Usage: node src/main.ts [command]',
    '',
    'Commands:',
    ...commands.map(({ name, about }) => `  ${name.padEnd(8)}  ${about}`),
    '',
    'Settings, by environment variable:',
    ...settings,
  ].join('\n');
}

function formatSetting(name: string, { fallback, unit, about, isSecret }: Setting<unknown>): string {
  const facts = [
    unit,
    fallback === undefined ? '' : `default ${fallback}`,
    isSecret ? `secret, also as ${name}_FILE` : '',
  ];
  return `  ${name}\n      ${about}${facts.some(Boolean) ? ` (${facts.filter(Boolean).join('; ')})` : ''}`;
}
