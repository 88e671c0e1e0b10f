import { describe, expect, it } from 'vitest';

import { readConfig } from '../../../src/app/index.ts';
import { executeAs } from '../../identity/support.ts';
import { startGateway } from '../../support/gateway.ts';
import { startOtlpReceiver } from '../../support/otlp-receiver.ts';
import { scriptPlatform } from '../../support/scripted-platform.ts';

describe('traces', () => {
  it.each([
    ['no variable asks for them', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
    ['OpenTelemetry is disabled', { OTEL_SDK_DISABLED: 'true' }],
    ['there is no exporter', { OTEL_TRACES_EXPORTER: 'none' }],
  ])('are off where %s', async (_what, variables) => {
    const receiver = await startOtlpReceiver();
    const platform = await scriptPlatform(() => ({
      body: { idForm: 'supplier', name: 'Supplier', fields: [] },
    }));
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      LOG_LEVEL: 'info',
      ...platform.env,
      ...variables,
    };
    const { url, close, logged } = await startGateway(env);

    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    await executeAs(url, '{ form(formId: "supplier") { name } }', { traceparent });
    await close();

    expect(receiver.requests).toEqual([]);
    expect(platform.seen[0]?.headers['traceparent']).toBeUndefined();
    const operation = logged().find(({ msg }) => msg === 'operation');
    expect(operation).not.toHaveProperty('traceId');
  });

  it('make startup fail with an unsupported protocol or exporter', () => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_TRACES_EXPORTER: 'zipkin',
    };

    expect(() => readConfig(env)).toThrow(
      expect.objectContaining({
        problems: [
          'OTEL_TRACES_EXPORTER: must be otlp or none',
          'OTEL_EXPORTER_OTLP_PROTOCOL: must be http/protobuf or http/json',
        ],
      }),
    );
  });
});
