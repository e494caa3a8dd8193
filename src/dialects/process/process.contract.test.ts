import { dialectSuite, type Stage } from '../dialect.suite.ts';
import { realParts } from '../jsonrpc/channels.suite.ts';
import { createProvider } from '../registry.ts';
import { peerProgram, pythonProgram, startDirector } from './testing/stage.suite.ts';

dialectSuite(
  'process',
  async (): Promise<Stage> => {
    const python = pythonProgram();
    const { port, stop } = await startDirector();
    const open = (command: readonly string[]) => () =>
      createProvider({ id: 'peer', protocol: 'act/v1', type: 'process', config: { command } }, realParts);
    return {
      open: open([python, '-I', '-S', peerProgram, String(port)]),
      openNowhere: open(['/nowhere/no-such-program']),
      stop,
    };
  },
  { many: 60 },
);
