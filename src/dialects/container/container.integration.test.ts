import { afterEach, describe, expect, it } from 'vitest';
import { classOf, GleitzeitError } from '../../core/errors.ts';
import type { Provider } from '../../core/ports/provider.ts';
import { call, failure, open as openAny, result } from '../process/testing/calls.suite.ts';
import { pythonProgram } from '../process/testing/stage.suite.ts';
import { makeEngine } from './testing/engine.suite.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const python = pythonProgram();
const script = (code: string) => [python, '-I', '-S', '-c', code];

function open(config: object): Provider {
  const provider = openAny(config, 'container');
  ends.push(() => provider.close?.());
  return provider;
}

function engine() {
  const made = makeEngine(python);
  ends.push(made.remove);
  return made;
}

describe('the words an engine is told', () => {
  it('leave the engine its own surroundings where the container has others under the same names', async () => {
    const { path, told } = engine();
    const names = ['HOME', 'PATH', 'DOCKER_HOST'];
    const code = `import json, os; print(json.dumps([os.environ.get(one) for one in ${JSON.stringify(names)}]))`;
    const provider = open({
      image: 'a',
      command: script(code),
      engine_path: path,
      env: { HOME: '/app', PATH: '/app/bin', DOCKER_HOST: '$${x}' },
    });
    expect(await result(call(provider, {}))).toEqual(['/app', '/app/bin', '${x}']);
    const [{ env } = { env: {} }] = told();
    expect(env).toMatchObject({ HOME: process.env['HOME'], PATH: process.env['PATH'] });
    expect(env).not.toHaveProperty('DOCKER_HOST');
    const secret = { image: 'a', engine_path: path, env: { HOME: '/${secrets.key}' } };
    expect(() => open(secret)).toThrow(
      expect.objectContaining({
        code: 'GLZ1012',
        details: expect.objectContaining({ field: '/config/env/HOME' }),
      }),
    );
  });

  it('forbid everything that is not allowed', async () => {
    const { path, told } = engine();
    process.env['DOCKER_HOST'] = 'unix:///nowhere';
    ends.push(() => delete process.env['DOCKER_HOST']);
    const provider = open({
      image: 'tools/convert:1.2',
      command: ['/bin/echo', '-n', '--', '${params.text}'],
      output: 'text',
      engine_path: path,
      env: { TOKEN: '${secrets.key}' },
    });
    expect(await result(call(provider, { text: '--help; $(id)' }))).toBe('-- --help; $(id)');
    const [{ words, env } = { words: [], env: {} }] = told();
    const memory = String(512 * 1024 * 1024);
    expect(words).toEqual([
      ...['run', '--rm', '--interactive', '--name', 'gleitzeit-c1-2', '--label', 'gleitzeit.task=t1'],
      ...[
        '--pull',
        'missing',
        '--network',
        'none',
        '--cap-drop',
        'all',
        '--security-opt',
        'no-new-privileges',
      ],
      ...[
        '--memory',
        memory,
        '--memory-swap',
        memory,
        '--pids-limit',
        '256',
        '--read-only',
        '--tmpfs',
        '/tmp',
      ],
      ...['--env', 'GLEITZEIT_CALL_ID', '--env', 'GLEITZEIT_TASK_ID', '--env', 'GLEITZEIT_WORKFLOW_ID'],
      ...[
        '--env',
        'GLEITZEIT_METHOD',
        '--env',
        'GLEITZEIT_ATTEMPT',
        '--env',
        'TRACEPARENT',
        '--env',
        'TOKEN',
      ],
      ...['tools/convert:1.2', '/bin/echo', '-n', '--', '--help; $(id)'],
    ]);
    expect(words.join(' ')).not.toContain('value-of-key');
    expect(env).toMatchObject({ TOKEN: 'value-of-key', DOCKER_HOST: 'unix:///nowhere' });
  });

  it('allow what the configuration says', async () => {
    const { path, told } = engine();
    const provider = open({
      image: 'a',
      command: ['/bin/true'],
      output: 'none',
      engine_path: path,
      network: 'bridge',
      read_only: false,
      user: '1000:1000',
      workdir: '/work',
      mounts: [
        { source: '/data', target: '/in' },
        { source: '/out', target: '/out', read_only: false },
      ],
      pull: 'never',
      limits: { memory: 64 * 1024 * 1024, cpus: 1.5, pids: 10 },
      methods: { other: { image: 'b', command: ['/bin/false'], stdin: 'none', exit: { ok: [1] } } },
    });
    await result(call(provider));
    await result(call(provider, {}, { method: 'other' }));
    const [first, second] = told();
    const words = first?.words.join(' ');
    for (const part of [
      '--pull never --network bridge',
      '--memory 67108864 --memory-swap 67108864 --pids-limit 10 --cpus 1.5 --user 1000:1000 --workdir /work',
      '--mount type=bind,source=/data,target=/in,readonly --mount type=bind,source=/out,target=/out --env',
    ])
      expect(words).toContain(part);
    expect(words).not.toContain('--read-only');
    expect(second?.words.slice(-2)).toEqual(['b', '/bin/false']);
    expect([first, second].map((one) => one?.words.includes('--interactive'))).toEqual([true, false]);
  });

  it('end the container of a call that is not wanted any more', async () => {
    const { path, told } = engine();
    // As the program of a real engine, it is gone before its container is.
    const command = script(
      'import signal, time; signal.signal(15, signal.SIG_IGN); print("up", flush=True); time.sleep(60)',
    );
    const provider = open({ image: 'a', command, output: 'text', engine_path: path, grace: 0.1 });
    const end = new AbortController();
    const report = () => end.abort(new GleitzeitError('GLZ2009', 'cancelled'));
    expect((await failure(call(provider, {}, { signal: end.signal, report }))).data.error_code).toBe(
      'GLZ2009',
    );
    expect(told().map(({ words }) => words)).toEqual([
      expect.arrayContaining(['run']),
      ['kill', '--signal', 'KILL', 'gleitzeit-c1-2'],
      ['rm', '--force', 'gleitzeit-c1-2'],
    ]);
  });
});

describe('how a container ended', () => {
  it.each([
    [
      'import sys; print("no daemon", file=sys.stderr); sys.exit(125)',
      'transport',
      'could not be started: no daemon',
    ],
    ['import sys; sys.exit(126)', 'rejected', 'the image has no such program'],
    ['import sys; sys.exit(127)', 'rejected', 'the image has no such program'],
    ['import sys; sys.exit(137)', 'transport', 'was ended by signal 9'],
    ['import sys; sys.exit(75)', 'server', 'a ended with exit code 75'],
    ['import sys; sys.exit(3)', 'rejected', 'a ended with exit code 3'],
  ])('%s is %s', async (code, kind, message) => {
    const error = await failure(
      call(open({ image: 'a', command: script(code), engine_path: engine().path })),
    );
    expect([classOf(error), error.message]).toEqual([kind, expect.stringContaining(message)]);
  });

  it('says that there is no engine', async () => {
    const error = await failure(call(open({ image: 'a', engine_path: '/nowhere/docker' })));
    expect(error).toMatchObject({
      message: 'there is nothing to run containers with: /nowhere/docker is not on this machine',
      data: { error_code: 'GLZ2002', hint: expect.stringContaining('install docker or podman') },
    });
  });
});

describe('what is wrong with the configuration of a container', () => {
  it.each([
    [{}, '/config/image'],
    [{ image: '--privileged' }, '/config/image'],
    [{ image: 'a b' }, '/config/image'],
    [{ image: 'a', network: '--host' }, '/config/network'],
    [{ image: 'a', user: '-u' }, '/config/user'],
    [{ image: 'a', privileged: true }, '/config/privileged'],
    [{ image: 'a', mounts: [{ source: '/a', target: 'b' }] }, '/config/mounts/0/target'],
    [{ image: 'a', command: ['${params.x}'] }, '/config/command/0'],
    [{ image: 'a', methods: { nope: {} } }, '/config/methods/nope'],
    [{ image: 'a', network: 'x', kubernetes: { url: 'https://c' } }, '/config/network'],
    [{ image: 'a', user: 'me', kubernetes: { url: 'https://c' } }, '/config/user'],
    [{ image: 'a', kubernetes: { url: 'c' } }, '/config/kubernetes/url'],
  ])('%j is refused at %s', (config, field) => {
    expect(() => openAny(config, 'container')).toThrow(
      expect.objectContaining({ code: 'GLZ1012', details: expect.objectContaining({ field }) }),
    );
  });
});
