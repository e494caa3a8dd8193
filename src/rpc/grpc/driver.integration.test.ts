import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

/** Makes a call twice where a package cannot be found, as in an installation without it; then the package is there. */
const program = (missing: string) => `
  import { registerHooks } from 'node:module';
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier.startsWith('${missing}') ? next('${missing}-is-not-here', context) : next(specifier, context),
  });
  const { grpcChannel } = await import('${new URL('./channel.ts', import.meta.url).href}');
  const channel = grpcChannel({
    url: new URL('grpc://127.0.0.1:1'),
    credentials: null,
    protos: null,
    limits: { max_message: 1000, max_messages: 10 },
    keepalive_ms: null,
    clock: { wall: Date.now, monotonic: () => performance.now() },
  });
  const call = () =>
    channel.call({
      method: { service: 'a.A', method: 'B' },
      params: {},
      metadata: {},
      signal: AbortSignal.timeout(10_000),
      timeout_ms: null,
    });
  const first = await call().catch((error) => error.toRecord());
  hooks.deregister();
  const second = await call().catch((error) => error.toRecord());
  await channel.close();
  console.log(JSON.stringify({ first, second }));
`;

describe('gRPC without its packages', () => {
  it.each(['@grpc/grpc-js', 'protobufjs'])(
    'says what is to be installed where there is no %s, and is spoken once it is there',
    async (missing) => {
      const args = ['--input-type=module', '--eval', program(missing)];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      expect(JSON.parse(stdout)).toMatchObject({
        first: {
          message: 'gRPC cannot be spoken: the packages @grpc/grpc-js and protobufjs cannot be loaded',
          data: {
            error_code: 'GLZ2010',
            hint: 'install them beside gleitzeit: npm install @grpc/grpc-js protobufjs',
          },
        },
        second: { said: 'status', code: 14 },
      });
    },
  );
});
