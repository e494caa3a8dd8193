import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take from half a minute to several. Where nothing is known of earlier runs, as in a fresh clone, they would come
 * wherever their size puts them, and whichever came last would have the machine to itself while it waits.
 */
const slow = [
  'test/simulation/bugs.test.ts',
  'test/capture/capture.test.ts',
  'test/examples/examples.test.ts',
  'test/differential/differential.test.ts',
  'test/tutorial.test.ts',
  'test/mcp/conformance.test.ts',
  'test/agents/check.test.ts',
  'src/store/postgres/store.contract.test.ts',
  'src/bridge/kafka/broker.contract.test.ts',
  'src/bridge/rabbitmq/broker.contract.test.ts',
  'src/bridge/redis/broker.contract.test.ts',
  'test/mcp/servers.test.ts',
  'src/main/executor.integration.test.ts',
  'test/pack.test.ts',
  'test/a2a/engine.test.ts',
  'test/bridge/',
  'test/upgrade/',
  'test/league/',
  'test/zone/',
  'test/documents/how-to.test.ts',
];

export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const found = slow.findIndex((part) => moduleId.includes(`/${part}`));
      return found === -1 ? slow.length : found;
    };
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}
