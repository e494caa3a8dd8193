import { libraryProtocol } from '../../main/protocols.ts';
import type { Client } from '../../sdk/index.ts';
import { withClient } from '../connect.ts';
import { unknownProtocol } from '../connect-errors.ts';
import { cleanText } from '../output/clean.ts';
import { type ProtocolPage, protocolPage } from '../output/protocol-page.ts';
import type { Invocation } from '../spec.ts';

/** Pages about protocols, made of their definitions. */
export function protocolDocs(call: Invocation): Promise<void> {
  const [name] = call.arguments;
  return withClient(call, async (client) => {
    const found = name === undefined ? await allKnown(client) : [await known(client, name)];
    const pages = found.map((one) => ({ name: one.name, markdown: protocolPage(one) }));
    const text = pages.map(({ markdown }) => markdown).join('\n');
    await call.io.emit({ pages }, { table: () => cleanText(text), names: pages.map((one) => one.name) });
  });
}

async function allKnown(client: Client): Promise<ProtocolPage[]> {
  const { items } = await client.call('protocol.list');
  return Promise.all(items.map(({ name }) => client.call('protocol.get', { name })));
}

/** One of the library need not be in use to be read about. */
async function known(client: Client, name: string): Promise<ProtocolPage> {
  const inUse = await client.call('protocol.get', { name }).catch((thrown: unknown) => {
    const found = libraryProtocol(name);
    return found ?? unknownProtocol(thrown);
  });
  return inUse;
}
