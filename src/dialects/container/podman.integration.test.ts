import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import type { Provider } from '../../core/ports/provider.ts';
import { call, failure, open as openAny, result } from '../process/testing/calls.suite.ts';
import { type Podman, startPodman } from './testing/podman.suite.ts';

let podman: Podman;
beforeAll(async () => {
  podman = await startPodman();
  Object.assign(process.env, podman.environment);
  if (podman.unable !== null)
    process.stderr.write(
      `\nNOT TESTED with a real engine: this kernel starts no containers: ${podman.unable}\n\n`,
    );
}, 300_000);
afterAll(() => podman.stop());

function open(config: object): Provider {
  return openAny({ image: podman.image, engine: 'podman', pull: 'never', ...config }, 'container');
}

const shell = (code: string) => ['/bin/sh', '-c', code];

describe('a container of podman', { timeout: 60_000 }, () => {
  it('reads the params and prints the result', async (context) => {
    context.skip(podman.unable !== null, podman.unable ?? '');
    expect(await result(call(open({ command: ['/bin/cat'] }), { a: [1, 'ü'] }))).toEqual({ a: [1, 'ü'] });
  });

  it('knows the call, has what it was told in confidence, and nothing else of ours', async (context) => {
    context.skip(podman.unable !== null, podman.unable ?? '');
    const provider = open({
      command: ['/bin/env'],
      stdin: 'none',
      output: 'lines',
      env: { TOKEN: '${secrets.key}' },
    });
    const lines = (await result(call(provider))) as string[];
    expect(lines).toContain('TOKEN=value-of-key');
    expect(lines).toContain('GLEITZEIT_CALL_ID=c1');
    expect(lines.filter((line) => line.startsWith('CONTAINERS_'))).toEqual([]);
  });

  it('can neither write, nor reach anybody, nor become somebody else', async (context) => {
    context.skip(podman.unable !== null, podman.unable ?? '');
    const code =
      'touch /bin/x 2>/dev/null && echo wrote; touch /tmp/x && echo tmp; ls /sys/class/net; grep() { awk "/$1/" "$2"; }; grep CapEff /proc/self/status; grep NoNewPrivs /proc/self/status';
    const lines = (await result(
      call(open({ command: shell(code), stdin: 'none', output: 'lines' })),
    )) as string[];
    expect(lines.map((line) => line.replace(/\s+/, ' '))).toEqual([
      'tmp',
      'lo',
      'CapEff: 0000000000000000',
      'NoNewPrivs: 1',
    ]);
  });

  it('ends at its limit of memory', async (context) => {
    context.skip(podman.unable !== null, podman.unable ?? '');
    const command = shell('tail /dev/zero');
    const error = await failure(call(open({ command, stdin: 'none', limits: { memory: 32 * 1024 * 1024 } })));
    expect(error.data.reason).toMatch(/exit code (?:137|1)$/);
    expect(existsSync('oom')).toBe(false);
  });

  it('is gone when its call is', async (context) => {
    context.skip(podman.unable !== null, podman.unable ?? '');
    const end = new AbortController();
    const report = () => end.abort(new GleitzeitError('GLZ2009', 'cancelled'));
    // The first process of a container hears no SIGTERM that it did not ask for.
    const provider = open({
      command: shell('echo up; sleep 300'),
      stdin: 'none',
      output: 'text',
      grace: 0.5,
    });
    const error = await failure(call(provider, {}, { signal: end.signal, report }));
    expect(error.data.error_code).toBe('GLZ2009');
    expect((await podman.containers()).trim()).toBe('');
  });

  it('says what is wrong with its image', async (context) => {
    context.skip(podman.unable !== null, podman.unable ?? '');
    const missing = await failure(call(open({ image: 'localhost/gleitzeit-none:1' })));
    expect(missing).toMatchObject({ data: { error_code: 'GLZ2002' } });
    const program = await failure(call(open({ command: ['/bin/nothing'] })));
    expect(program).toMatchObject({ data: { error_code: 'GLZ2010' } });
  });
});
