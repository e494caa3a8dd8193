import { dialectSuite, type Stage } from '../dialect.suite.ts';
import { realParts } from '../jsonrpc/channels.suite.ts';
import { createProvider } from '../registry.ts';
import { actProto, protoFolder, startService } from './testing/service.suite.ts';

async function stage(reflection: boolean, described: object): Promise<Stage> {
  const { url, stop } = await startService({ reflection });
  const methods = { act: 'act.v1.Act/Act' };
  const open = (address: string) => () =>
    createProvider(
      { id: 'peer', protocol: 'act/v1', type: 'grpc', config: { url: address, methods, ...described } },
      realParts,
    );
  return { open: open(url), openNowhere: open('grpc://127.0.0.1:9'), stop };
}

dialectSuite('grpc with server reflection', () => stage(true, {}));
dialectSuite('grpc with a .proto file', () => stage(false, { proto: [actProto], include: [protoFolder] }));
