import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../core/json.ts';
import type { Provider } from '../../../core/ports/provider.ts';
import { call, failure, open as openAny, result } from '../../process/testing/calls.suite.ts';
import { pythonProgram } from '../../process/testing/stage.suite.ts';
import { startCluster } from '../testing/cluster.suite.ts';

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

describe('a job of Kubernetes', () => {
  async function cluster(wishes: Parameters<typeof startCluster>[0] = {}) {
    const started = await startCluster(wishes);
    ends.push(started.stop);
    return started;
  }
  const kubernetes = (url: string, more: object = {}) => ({ url, namespace: 'tasks', poll: 0.02, ...more });

  it('is made of what the configuration says, shows who we are, and leaves nothing behind', async () => {
    const { url, made, asked, left } = await cluster({ authorization: 'Bearer value-of-token' });
    const auth = { type: 'bearer', token: '${secrets.token}' };
    const provider = open({
      image: 'registry.test/tools:1',
      command: script(
        'import json, os; print("noise"); print(json.dumps([os.environ["TOKEN"], json.load(open(os.environ["GLEITZEIT_PARAMS_FILE"]))]))',
      ),
      env: { TOKEN: '${secrets.key}' },
      user: '1000:1000',
      timeout: 90,
      limits: { memory: 64 * 1024 * 1024, cpus: 0.5 },
      kubernetes: kubernetes(url, { auth, service_account: 'worker' }),
    });
    expect(await result(call(provider, { a: 1 }))).toEqual(['value-of-key', { a: 1 }]);
    const [secret, job, owner] = made as [JsonObject, JsonObject, JsonObject];
    expect(secret).toMatchObject({
      metadata: { name: 'gleitzeit-c1-2' },
      stringData: { TOKEN: 'value-of-key', 'params.json': '{"a":1}' },
    });
    expect(job).toMatchObject({
      spec: {
        backoffLimit: 0,
        activeDeadlineSeconds: 90,
        template: {
          spec: {
            serviceAccountName: 'worker',
            containers: [
              {
                image: 'registry.test/tools:1',
                resources: { limits: { memory: '67108864', cpu: '0.5' } },
                securityContext: { runAsUser: 1000, runAsGroup: 1000, readOnlyRootFilesystem: true },
              },
            ],
          },
        },
      },
    });
    expect(JSON.stringify(job)).not.toContain('value-of-key');
    expect(owner).toMatchObject({
      metadata: { ownerReferences: [{ kind: 'Job', uid: 'uid-gleitzeit-c1-2' }] },
    });
    expect(left()).toEqual({ jobs: 0, secrets: 0 });
    expect(asked.slice(0, 3)).toEqual([
      'POST /api/v1/namespaces/tasks/secrets',
      'POST /apis/batch/v1/namespaces/tasks/jobs',
      'PATCH /api/v1/namespaces/tasks/secrets/gleitzeit-c1-2',
    ]);
  });

  it('is removed when it is not wanted any more', async () => {
    const { url, left, asked } = await cluster();
    const command = script('import time; time.sleep(60)');
    const provider = open({ image: 'a', command, timeout: 0.3, kubernetes: kubernetes(url) });
    expect((await failure(call(provider))).data.error_code).toBe('GLZ2003');
    expect(left()).toEqual({ jobs: 0, secrets: 0 });
    expect(asked.filter((one) => one.startsWith('DELETE'))).toHaveLength(2);
  });

  it.each([
    [
      { state: { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } } },
      'GLZ2002',
      /ImagePullBackOff: no such image/,
    ],
    [{ state: { terminated: { exitCode: 137, reason: 'OOMKilled' } } }, 'GLZ2010', /took more memory/],
    [
      {
        state: { waiting: { reason: 'ContainerCreating' } },
        conditions: [{ type: 'Failed', status: 'True', reason: 'DeadlineExceeded', message: 'too long' }],
      },
      'GLZ2003',
      /DeadlineExceeded: too long/,
    ],
    [{ authorization: 'Bearer other' }, 'GLZ2010', /refused: Unauthorized/],
  ])('that the cluster does not carry out: %j', async (wishes, code, message) => {
    const { url } = await cluster(wishes);
    const error = await failure(
      call(open({ image: 'a', command: ['/bin/true'], kubernetes: kubernetes(url) })),
    );
    expect([error.data.error_code, error.message]).toEqual([code, expect.stringMatching(message)]);
  });
});
