import { join } from 'node:path';
import { dialectSuite, type Stage } from '../dialect.suite.ts';
import { realParts } from '../jsonrpc/channels.suite.ts';
import { pythonProgram, startDirector } from '../process/testing/stage.suite.ts';
import { createProvider } from '../registry.ts';

dialectSuite(
  'v3',
  async (): Promise<Stage> => {
    const python = pythonProgram();
    const { port, stop } = await startDirector();
    const path = [join(import.meta.dirname, 'testing')];
    const config = { python, path, module: 'acting_provider', class: 'ActingProvider', options: { port } };
    const open = (more: object) => () =>
      createProvider(
        { id: 'old', protocol: 'act/v1', type: 'v3', config: { ...config, ...more } },
        realParts,
      );
    return { open: open({}), openNowhere: open({ python: '/nowhere/no-such-python' }), stop };
  },
  { nameless: true },
);
