import { X509Certificate } from 'node:crypto';
import { createSecureContext, getCACertificates } from 'node:tls';

import { orUndefined } from '../core/errors.ts';
import { isJsonObject } from '../core/json.ts';
import { type Report, readSettingFile } from './load.ts';
import type { Settings } from './settings.ts';

/** The connection to the platform and the token issuer. */
export interface Transport {
  /** The proxy's address with password. */
  readonly proxy: URL | undefined;
  /** All trusted authorities in PEM. `undefined` for Node's defaults. */
  readonly ca: string[] | undefined;
  /** The platform's origin. Certificate and headers are sent to no other origin. */
  readonly origin: string | undefined;
  /** The client certificate and its key, in PEM. */
  readonly certificate: string | undefined;
  /** Headers of each request, by names in lower case. */
  readonly headers: Readonly<Record<string, string>> | undefined;
}

/** Reads the files of the connection. Problems do not quote their content. */
export function readTransport(settings: Settings, report: Report): Transport {
  const { UPSTREAM_URL: url, UPSTREAM_PROXY: proxy } = settings;
  const read = <T>(
    kind: 'CA' | 'CERT' | 'HEADERS',
    parse: (text: string, report: Report) => T,
  ): T | undefined => {
    const name = `UPSTREAM_${kind}_FILE` as const;
    const path = settings[name];
    const text = path === undefined ? undefined : readSettingFile(name, path, report);
    return text === undefined ? undefined : parse(text, report);
  };
  return {
    proxy,
    origin: url && new URL(url).origin,
    certificate: read('CERT', readCertificate),
    ca: read('CA', readAuthorities),
    headers: read('HEADERS', readHeaders),
  };
}

function readAuthorities(text: string, report: Report): string[] {
  // A truncated certificate ends with the file.
  const certificates =
    text.match(/-----BEGIN CERTIFICATE-----.+?(-----END CERTIFICATE-----|$)/gs) ?? [];
  const valid = orUndefined(() => certificates.map((pem) => new X509Certificate(pem))) ?? [];
  if (valid.length === 0) report('UPSTREAM_CA_FILE', 'must hold certificates in PEM');
  return [...getCACertificates(), ...certificates];
}

function readCertificate(pem: string, report: Report): Transport['certificate'] {
  if (pem && orUndefined(() => createSecureContext({ cert: pem, key: pem }))) return pem;
  report(
    'UPSTREAM_CERT_FILE',
    'must hold a certificate and its private key without passphrase, in PEM',
  );
  return undefined;
}

/** Headers of the interface, of HTTP, and of the gateway itself. */
const RESERVED =
  /^(accept(-encoding)?|authorization|baggage|connection|content-.*|cookie|expect|host|if-.*|keep-alive|proxy-.*|range|te|trailer|traceparent|tracestate|transfer-encoding|upgrade|x-request-id)$/;

function readHeaders(text: string, report: Report): Transport['headers'] {
  const content: unknown = orUndefined(() => JSON.parse(text));
  const isOfTexts =
    isJsonObject(content) && Object.values(content).every((value) => typeof value === 'string');
  const headers = isOfTexts
    ? orUndefined(() => new Headers(content as Record<string, string>))
    : undefined;
  if (headers === undefined)
    report('UPSTREAM_HEADERS_FILE', 'must be a JSON object of header names and texts');
  const reserved = [...(headers?.keys() ?? [])].filter((name) => RESERVED.test(name));
  if (reserved.length > 0)
    report('UPSTREAM_HEADERS_FILE', `must be without ${reserved.join(', ')}`);
  return headers && Object.fromEntries(headers);
}
