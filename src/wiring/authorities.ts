import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Reads the certificates (PEM) of those who may vouch for the platform, and adds to the problems where there are none. */
export function readAuthorities(path: string | undefined, problems: string[]): readonly string[] | undefined {
  if (path === undefined) return undefined;
  try {
    const found = readFileSync(path, 'utf8').match(CERTIFICATE) ?? [];
    // What is no certificate would be left out without a word, and nothing could be reached.
    for (const certificate of found) new X509Certificate(certificate);
    if (found.length > 0) return found;
  } catch {
    // Said below, as for a file that holds none.
  }
  problems.push(`UPSTREAM_CA_FILE: cannot read certificates (PEM) from ${path}`);
  return undefined;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;
