import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A certificate with its key, as a server takes it. */
export interface Certificate {
  readonly key: Buffer;
  readonly cert: Buffer;
}

/** The setting that names the file of a client certificate and its key. */
export type CertificateFile = Readonly<Record<'UPSTREAM_CERT_FILE', string>>;

/** A certificate authority of the test, which nothing trusts. */
export interface Authority {
  /** The file of its certificate. */
  readonly file: string;
  /** Issues a certificate for a host that is valid for this number of days. */
  vouch(host: string, days?: number): Certificate;
  /** The same for a client, whose name is its subject, as a file. */
  vouchForClient(days?: number, name?: string): CertificateFile;
}

/** Creates an authority with openssl. Its files are deleted when the test ends. */
export function makeAuthority(): Authority {
  const folder = mkdtempSync(join(tmpdir(), 'caseway-tls-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const at = (name: string) => join(folder, name);
  const openssl = (...args: readonly string[]) =>
    execFileSync('openssl', args, { stdio: 'ignore' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-subj',
    '/CN=authority',
    '-keyout',
    at('ca.key'),
    '-out',
    at('ca.pem'),
  );

  const certify = (name: string, extensions: string, days: number) => {
    writeFileSync(at('extensions'), extensions);
    openssl(
      'req',
      ...newKey,
      '-subj',
      `/CN=${name}`,
      '-keyout',
      at(`${name}.key`),
      '-out',
      at('request'),
    );
    const by = [
      '-CA',
      at('ca.pem'),
      '-CAkey',
      at('ca.key'),
      '-CAcreateserial',
      '-extfile',
      at('extensions'),
    ];
    openssl(
      'x509',
      '-req',
      '-in',
      at('request'),
      ...by,
      '-days',
      String(days),
      '-out',
      at(`${name}.pem`),
    );
    return { key: at(`${name}.key`), cert: at(`${name}.pem`) };
  };
  return {
    file: at('ca.pem'),
    vouch(host, days = 1) {
      const { key, cert } = certify('platform', `subjectAltName=IP:${host}`, days);
      return { key: readFileSync(key), cert: readFileSync(cert) };
    },
    vouchForClient(days = 1, name = 'gateway') {
      const { key, cert } = certify(name, 'extendedKeyUsage=clientAuth', days);
      writeFileSync(at(`${name}.both`), readFileSync(cert, 'utf8') + readFileSync(key, 'utf8'));
      return { UPSTREAM_CERT_FILE: at(`${name}.both`) };
    },
  };
}
