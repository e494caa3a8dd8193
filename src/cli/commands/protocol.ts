import type { ParamsOf, ResultOf } from '../../sdk/index.ts';
import { withClient } from '../connect.ts';
import { unknownProtocol } from '../connect-errors.ts';
import { details, table, type View } from '../output/table.ts';
import { readDataFile } from '../read-input.ts';
import type { Invocation } from '../spec.ts';

export function protocolList(call: Invocation): Promise<void> {
  return withClient(call, async (client) => {
    const told = await client.call('protocol.list');
    const columns = [
      { title: 'name', value: ({ name }: Item) => name, whole: true as const },
      { title: 'methods', value: ({ methods }: Item) => methods.join(', ') },
      { title: 'providers', value: ({ providers }: Item) => providers.join(', ') || '-' },
      { title: 'description', value: ({ description }: Item) => description ?? '' },
    ];
    const names = told.items.map(({ name }) => name);
    if (names.length > 0 || call.io.format !== 'table')
      await call.io.emit(told, { table: (view) => table(told.items, columns, view), names });
    if (names.length === 0)
      call.io.say('no protocols; they come from the configuration or from protocol register');
  });
}

type Item = ResultOf<'protocol.list'>['items'][number];
type Protocol = ResultOf<'protocol.get'>;

export function protocolGet(call: Invocation): Promise<void> {
  const [name = ''] = call.arguments;
  return withClient(call, async (client) => {
    const told = await client.call('protocol.get', { name }).catch(unknownProtocol);
    await call.io.emit(told, { table: (view) => protocolText(told, view), names: [told.name] });
  });
}

function protocolText(protocol: Protocol, view: View): string {
  const head = details(
    [
      ['Protocol', protocol.name],
      ['Title', protocol.title],
      ['Version', protocol.version],
      ['Extends', protocol.extends],
      ['About', protocol.description],
    ],
    view,
  );
  const columns = [
    { title: 'method', value: ([name]: Entry) => name, whole: true as const },
    { title: 'params', value: ([, { params }]: Entry) => fieldsOf(params) },
    { title: 'description', value: ([, { description }]: Entry) => description ?? '' },
  ];
  return `${head}\n${table(Object.entries(protocol.methods), columns, view)}`;
}

type Entry = readonly [string, Protocol['methods'][string]];

/** The names of an object's fields; those that may be left out with a question mark. */
function fieldsOf(schema: unknown): string {
  if (typeof schema !== 'object' || schema === null) return 'anything';
  const { properties = {}, required = [] } = schema as { properties?: object; required?: readonly string[] };
  const names = Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`));
  return names.join(', ') || '-';
}

export function protocolRegister(call: Invocation): Promise<void> {
  const [file = ''] = call.arguments;
  return withClient(call, async (client) => {
    // What is wrong with it the server says, with the field.
    const protocol = (await readDataFile(call, file)) as Input;
    const told = await client.call('protocol.register', { protocol, replace: call.flags.is('replace') });
    const line = `protocol ${told.name} with ${told.methods.join(', ')}\n`;
    await call.io.emit(told, { table: () => line, names: [told.name] });
  });
}

type Input = ParamsOf<'protocol.register'>['protocol'];
