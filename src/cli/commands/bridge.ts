import { bridgeVariables } from '../../config.ts';
import { startBridge } from '../../main/bridge.ts';
import { type BrokerOverview, brokerOverview, type TopicOverview } from '../../main/broker-status.ts';
import { loadServerConfig } from '../../main/load.ts';
import { commandLogger } from '../../main/log-lines.ts';
import { readKey } from '../key.ts';
import { details, table, type View } from '../output/table.ts';
import type { Invocation } from '../spec.ts';
import { untilStopped } from '../until-stopped.ts';

/** Makes the calls that engines and others publish, until it is stopped. */
export async function bridge(call: Invocation): Promise<void> {
  const { env } = call;
  const key = readKey(call);
  await untilStopped(async () => {
    const { stop, logger } = await startBridge({ config: await bridgeConfig(call), environment: env, key });
    const reload = async () => logger.warn('a bridge takes up a changed configuration at its next start');
    return { stop, reload };
  });
}

/** How far everybody has come with what stands at the broker. */
export async function brokerStatus(call: Invocation): Promise<void> {
  const config = await bridgeConfig(call);
  const found = await brokerOverview(config, commandLogger(config));
  await call.io.emit(found, {
    table: (view) => statusText(found, view),
    names: found.topics.map(({ topic }) => topic),
  });
}

function statusText({ type, place, topics, dead_letters }: BrokerOverview, view: View): string {
  const behind = ({ lag }: TopicOverview) => (lag === null ? 'not there yet' : String(lag));
  const head = details(
    [
      ['Broker', `${type} ${place}`],
      ['Dead letters', dead_letters === null ? null : String(dead_letters)],
    ],
    view,
  );
  const columns = [
    { title: 'topic', value: ({ topic }: TopicOverview) => topic },
    { title: 'group', value: ({ group }: TopicOverview) => group },
    { title: 'behind', value: behind },
    { title: 'by partition', value: ({ partitions }: TopicOverview) => partitions.join(' ') },
  ];
  return `${head}\n${table(topics, columns, view)}`;
}

/** Bridges are servers: DATABASE_URL counts here, and the names people already use. */
export function bridgeConfig({ flags, env, cwd }: Invocation) {
  return loadServerConfig({
    ...{ file: flags.text('config') ?? null, env, cwd, database_url: true },
    shared_variables: bridgeVariables,
  });
}
