import { createLog, type Log } from '../telemetry/log.ts';

interface Line {
  readonly msg?: string;
  readonly form?: string;
  readonly field?: string;
  readonly reason?: string;
}

/** Gives a log whose warnings are sentences for the person who runs a command. */
export function createPeopleLog(complain: (line: string) => void): Log {
  return createLog('warn', { write: (line) => complain(word(JSON.parse(line))) });
}

function word({ msg = 'something is not as it should be', form, field, reason }: Line): string {
  const place = [form, field && `its field ${field}`].filter(Boolean).join(', ');
  return `Warning: ${msg}${place && ` (${place})`}${reason === undefined ? '' : `: ${reason}`}.`;
}
