import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { kafkaClassPath } from './kafka-programs.ts';
import { run, startService } from './process.ts';
import { type Restartable, startRestartable } from './restartable.ts';

/** Small and quick to start. */
const java = ['-Xms64m', '-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];

/** A door that opens only over TLS and with a password. */
export type KafkaDoor = {
  readonly cert: string;
  readonly key: string;
  readonly username: string;
  readonly password: string;
};

/** A broker of its own; its `url` is what clients call a bootstrap broker, `host:port`. */
export function startKafka(door?: KafkaDoor): Promise<Restartable> {
  return startRestartable('kafka', async (folder) => {
    const classPath = await kafkaClassPath();
    const [port, controller, inner] = [await freePort(), await freePort(), await freePort()];
    const file = join(folder, 'server.properties');
    await mkdir(join(folder, 'data'));
    const guarded = door === undefined ? {} : await guard(folder, door, { port, controller, inner });
    await writeFile(file, properties({ ...settings(folder, port, controller), ...guarded }));
    const program = [...java, '-cp', classPath];
    await run('java', [
      ...program,
      'kafka.tools.StorageTool',
      'format',
      '-t',
      'AAAAAAAAAAAAAAAAAAAAAQ',
      '-c',
      file,
    ]);
    const start = () =>
      startService({
        command: 'java',
        args: [...program, 'kafka.Kafka', file],
        ready: /Kafka Server started/,
      });
    return { url: `127.0.0.1:${port}`, start };
  });
}

/** One node that is broker and controller, with sessions short enough for tests that kill. */
function settings(folder: string, port: number, controller: number) {
  return {
    'process.roles': 'broker,controller',
    'node.id': 1,
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controller}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}`,
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'inter.broker.listener.name': 'PLAINTEXT',
    'controller.listener.names': 'CONTROLLER',
    'controller.quorum.voters': `1@127.0.0.1:${controller}`,
    'log.dirs': join(folder, 'data'),
    'auto.create.topics.enable': false,
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 1,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'transaction.state.log.num.partitions': 1,
    'share.coordinator.state.topic.replication.factor': 1,
    'share.coordinator.state.topic.min.isr': 1,
    'share.coordinator.state.topic.num.partitions': 1,
    'group.initial.rebalance.delay.ms': 0,
    'group.min.session.timeout.ms': 1000,
    'broker.session.timeout.ms': 1500,
    'broker.heartbeat.interval.ms': 300,
    'log.cleaner.dedupe.buffer.size': 2_097_152,
  };
}

/** The node itself goes in and out by another door. */
async function guard(
  folder: string,
  { cert, key, username, password }: KafkaDoor,
  ports: { readonly port: number; readonly controller: number; readonly inner: number },
) {
  const identity = join(folder, 'identity.pem');
  await writeFile(identity, `${key}${cert}`);
  const login = 'org.apache.kafka.common.security';
  const doors = `OUTER://127.0.0.1:${ports.port},INNER://127.0.0.1:${ports.inner}`;
  return {
    listeners: `${doors},CONTROLLER://127.0.0.1:${ports.controller}`,
    'advertised.listeners': doors,
    'listener.security.protocol.map': 'OUTER:SASL_SSL,INNER:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'inter.broker.listener.name': 'INNER',
    'sasl.enabled.mechanisms': 'PLAIN',
    'listener.name.outer.plain.sasl.jaas.config': `${login}.plain.PlainLoginModule required user_${username}="${password}";`,
    'listener.name.outer.ssl.keystore.type': 'PEM',
    'listener.name.outer.ssl.keystore.location': identity,
  };
}

function properties(lines: Readonly<Record<string, unknown>>): string {
  return Object.entries(lines)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}
