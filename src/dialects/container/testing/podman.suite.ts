import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installOnDebian, isInstalled } from '../../../../test/services/debian.ts';

const execute = promisify(execFile);

/** An engine of its own, with nothing in it but an image of ours. */
export type Podman = {
  readonly image: string;
  /** What says where its engine is; for our own environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Why this kernel starts no containers; null where it does. */
  readonly unable: string | null;
  containers(): Promise<string>;
  stop(): Promise<void>;
};

const remedy = 'install podman, runc and busybox-static';

/** Podman of Debian, and an image made of one static program. */
export async function startPodman(): Promise<Podman> {
  for (const [program, name] of [
    ['podman', 'podman'],
    ['runc', 'runc'],
    ['busybox', 'busybox-static'],
  ] as const)
    if (!(await isInstalled(program))) await installOnDebian(name, remedy);
  const folder = await mkdtemp(join(tmpdir(), 'gleitzeit-podman-'));
  const environment = await settings(folder);
  const env = { ...process.env, ...environment };
  const podman = async (...words: string[]) =>
    (await execute('podman', words, { env, timeout: 60_000 })).stdout;
  await podman('import', await tarball(folder), 'localhost/gleitzeit-test:1');
  const image = 'localhost/gleitzeit-test:1';
  const unable = await podman('run', '--rm', '--network', 'none', image, '/bin/true').then(
    () => null,
    (thrown: unknown) => String((thrown as { stderr?: string }).stderr ?? thrown).trim(),
  );
  return {
    image,
    environment,
    unable,
    containers: () => podman('ps', '--all', '--format', '{{.Names}}'),
    stop: async () => {
      await podman('rm', '--all', '--force').catch(() => {});
      await podman('image', 'rm', '--all', '--force').catch(() => {});
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What it needs where the right to raise limits is taken away, as on machines that are containers themselves. */
async function settings(folder: string): Promise<Readonly<Record<string, string>>> {
  const containers = join(folder, 'containers.conf');
  const storage = join(folder, 'storage.conf');
  const limits = '["nofile=1024:1024", "nproc=1024:1024"]';
  await writeFile(
    containers,
    `[containers]\ndefault_ulimits = ${limits}\n[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n`,
  );
  await writeFile(
    storage,
    `[storage]\ndriver = "vfs"\ngraphroot = "${folder}/graph"\nrunroot = "${folder}/run"\n`,
  );
  return { CONTAINERS_CONF: containers, CONTAINERS_STORAGE_CONF: storage };
}

async function tarball(folder: string): Promise<string> {
  const root = join(folder, 'root');
  await mkdir(join(root, 'bin'), { recursive: true });
  await mkdir(join(root, 'tmp'));
  const { stdout } = await execute('sh', ['-c', 'command -v busybox']);
  await copyFile(stdout.trim(), join(root, 'bin/busybox'));
  for (const name of ['sh', 'cat', 'true', 'sleep', 'id', 'dd', 'touch', 'ls', 'env', 'awk', 'wget', 'tail'])
    await symlink('busybox', join(root, 'bin', name));
  const path = join(folder, 'image.tar');
  await execute('tar', ['--create', '--file', path, '--directory', root, '.']);
  return path;
}
