import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A certificate with its key, as a server takes it. */
interface Certificate {
  readonly key: Buffer;
  readonly cert: Buffer;
}

/** The setting that names the file of a client certificate and its key. */
type CertificateFile = Readonly<Record<'UPSTREAM_CERT_FILE', string>>;

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
  const openssl = (command: string) =>
    execFileSync('openssl', command.split(' '), { cwd: folder, stdio: 'ignore' });
  const NEW_KEY = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes';
  openssl(`req -x509 ${NEW_KEY} -subj /CN=authority -keyout ca.key -out ca.pem`);

  const certify = (name: string, extensions: string, days: number) => {
    writeFileSync(at('extensions'), extensions);
    openssl(`req ${NEW_KEY} -subj /CN=${name} -keyout ${name}.key -out request`);
    openssl(
      `x509 -req -in request -CA ca.pem -CAkey ca.key -CAcreateserial -extfile extensions -days ${days} -out ${name}.pem`,
    );
    return { key: readFileSync(at(`${name}.key`)), cert: readFileSync(at(`${name}.pem`)) };
  };
  return {
    file: at('ca.pem'),
    vouch: (host, days = 1) => certify('platform', `subjectAltName=IP:${host}`, days),
    vouchForClient(days = 1, name = 'gateway') {
      const { key, cert } = certify(name, 'extendedKeyUsage=clientAuth', days);
      writeFileSync(at(`${name}.both`), Buffer.concat([cert, key]));
      return { UPSTREAM_CERT_FILE: at(`${name}.both`) };
    },
  };
}
