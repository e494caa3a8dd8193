import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installOnDebian } from './debian.ts';
import { freePort } from './free-port.ts';
import { type Service, startService } from './process.ts';
import { type Restartable, startRestartable } from './restartable.ts';

const library = '/usr/lib/rabbitmq/lib';
const remedy = 'install RabbitMQ 3.10 or later, or name a server in GLEITZEIT_TEST_RABBITMQ_URL';

/** A door that opens only over TLS and with a password. */
export type RabbitDoor = {
  readonly cert: string;
  readonly key: string;
  readonly username: string;
  readonly password: string;
};

/** A server of its own. */
export function startRabbit(door?: RabbitDoor): Promise<Restartable> {
  return startRestartable('rabbitmq', async (folder) => {
    const command = await program();
    const [port, distribution, epmd] = [await freePort(), await freePort(), await freePort()];
    await Promise.all(['mnesia', 'log'].map((name) => mkdir(join(folder, name))));
    await writeFile(join(folder, 'plugins'), '[].\n');
    const guarded = door === undefined ? [] : await guard(folder, door, port);
    const lines = ['log.console = true', 'log.file = false', ...guarded];
    await writeFile(join(folder, 'rabbitmq.conf'), `${lines.join('\n')}\n`);
    const names = { ERL_EPMD_PORT: String(epmd), ERL_EPMD_ADDRESS: '127.0.0.1' };
    const env = { ...names, ...environment(folder, port, distribution) };
    const start = async (): Promise<Service> => {
      // A register of names of our own: the one that a node starts by itself would outlive it.
      const register = await startRegister(epmd, names);
      const node = await startService({
        command,
        args: [],
        ready: /Server startup complete/,
        cwd: folder,
        env,
      });
      return {
        pid: node.pid,
        async end(signal) {
          await node.end(signal);
          await register.end('SIGKILL');
        },
        freeze: (frozen) => node.freeze(frozen),
      };
    };
    const url = door === undefined ? `amqp://guest:guest@127.0.0.1:${port}` : `amqps://127.0.0.1:${port}`;
    return { url, start };
  });
}

async function guard(
  folder: string,
  { cert, key, username, password }: RabbitDoor,
  port: number,
): Promise<string[]> {
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  await writeFile(certFile, cert);
  await writeFile(keyFile, key);
  const tls = [
    `certfile = ${certFile}`,
    `keyfile = ${keyFile}`,
    `cacertfile = ${certFile}`,
    'verify = verify_none',
  ];
  return [
    'listeners.tcp = none',
    `listeners.ssl.default = 127.0.0.1:${port}`,
    ...tls.map((line) => `ssl_options.${line}`),
    `default_user = ${username}`,
    `default_pass = ${password}`,
  ];
}

function startRegister(port: number, env: Record<string, string>): Promise<Service> {
  const args = ['-d', '-port', String(port), '-address', '127.0.0.1'];
  return startService({ command: 'epmd', args, ready: /epmd running/, env });
}

/** Everything in the folder, and the name of the node kept: its data is named after it. */
function environment(folder: string, port: number, distribution: number): Record<string, string> {
  return {
    HOME: folder,
    RABBITMQ_NODENAME: `t${port}@localhost`,
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_NODE_PORT: String(port),
    RABBITMQ_DIST_PORT: String(distribution),
    RABBITMQ_MNESIA_BASE: join(folder, 'mnesia'),
    RABBITMQ_LOG_BASE: join(folder, 'log'),
    RABBITMQ_LOGS: '-',
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'plugins'),
    RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq.conf'),
    RABBITMQ_CONF_ENV_FILE: join(folder, 'none'),
    RABBITMQ_PID_FILE: join(folder, 'pid'),
    RABBITMQ_ALLOW_INPUT: '1',
    RABBITMQ_SERVER_START_ARGS: '-noinput',
  };
}

/** Not the one on the path: that changes user and folder. On Debian it is installed when missing. */
async function program(): Promise<string> {
  const found = await findProgram();
  if (found !== undefined) return found;
  await installOnDebian('rabbitmq-server', remedy);
  const installed = await findProgram();
  if (installed === undefined) throw new Error(`rabbitmq-server is installed but not below ${library}`);
  return installed;
}

async function findProgram(): Promise<string | undefined> {
  const versions = await readdir(library).catch(() => []);
  const newest = versions
    .filter((name) => name.startsWith('rabbitmq_server-'))
    .sort()
    .at(-1);
  return newest === undefined ? undefined : join(library, newest, 'sbin', 'rabbitmq-server');
}
