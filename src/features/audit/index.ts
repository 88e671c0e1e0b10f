import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';

import { TEXT } from '../../config/setting-types.ts';
import { valuesOf } from '../../config/settings.ts';
import { counter, gauge } from '../../core/facts.ts';
import type { Feature } from '../feature.ts';
import { createAuditFile, STDOUT } from './audit-file.ts';
import { createAuditObserver } from './observer.ts';

const SETTINGS = z
  .object({
    AUDIT_FILE: TEXT.optional().meta({
      unit: 'path, or `-`',
      whenUnset: 'no audit',
      description:
        'The file of the audit: a line before each change, and one for its outcome; `-` is standard output. A change whose line cannot be written is not sent.',
    }),
  })
  .meta({ title: 'Audit' });

/** Writes a line for each change before it is sent to the platform, and a line for its outcome. */
export const audit: Feature = {
  settings: SETTINGS,
  configure({ settings, report }) {
    const { AUDIT_FILE: path } = valuesOf(settings, SETTINGS);
    if (path === undefined) return undefined;
    try {
      const found = statSync(path, { throwIfNoEntry: false });
      if (path !== STDOUT) accessSync(found ? path : dirname(path), constants.W_OK);
      if (found?.isDirectory()) throw new Error('A folder takes no lines.');
    } catch {
      report('AUDIT_FILE', 'must be a writable file, or a new file in a writable folder');
    }
    return {
      open({ observers, signals, facts, graph, log, defer }) {
        const file = createAuditFile(path, log);
        observers.add(createAuditObserver(file, graph));
        signals.onHangup(file.close);
        defer(() => {
          file.isWritable();
          file.close();
        });
        facts.readiness.push({
          name: 'audit',
          isRequired: false,
          problem: 'the audit cannot be written, so changes are refused',
          read: () => (file.isWritable() ? 'ok' : 'unavailable'),
        });
        const help = 'Whether the audit can be written: 1, or 0 while changes are refused.';
        const lines = counter(
          'caseway_audit_lines_total',
          'Lines of the audit that were written, and attempts that failed.',
          () => file.attempts,
        );
        facts.gauges.push(
          gauge('caseway_audit_writable', help, () => Number(file.isWritable())),
          { ...lines, label: 'result' },
          gauge(
            'caseway_audit_outcomes_waiting',
            'Number of outcomes that could not be written to the audit yet.',
            file.waiting,
          ),
        );
      },
    };
  },
};
