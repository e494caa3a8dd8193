import { dialectSuite, type Stage } from '../dialect.suite.ts';
import { realParts } from '../jsonrpc/channels.suite.ts';
import { peerProgram, pythonProgram, startDirector } from '../process/testing/stage.suite.ts';
import { createProvider } from '../registry.ts';
import { startCluster } from './testing/cluster.suite.ts';
import { makeEngine } from './testing/engine.suite.ts';

const many = { many: 60 };

const open = (config: object) => () =>
  createProvider({ id: 'peer', protocol: 'act/v1', type: 'container', config }, realParts);

dialectSuite(
  'container by an engine',
  async (): Promise<Stage> => {
    const python = pythonProgram();
    const director = await startDirector();
    const engine = makeEngine(python);
    const command = [python, '-I', '-S', peerProgram, String(director.port)];
    const config = { image: 'peer:1', command, engine_path: engine.path };
    return {
      open: open(config),
      openNowhere: open({ ...config, image: 'missing:1' }),
      openDead: open({ ...config, engine_path: '/nowhere/no-such-engine' }),
      stop: async () => {
        await director.stop();
        engine.remove();
      },
    };
  },
  many,
);

dialectSuite(
  'container as a job of Kubernetes',
  async (): Promise<Stage> => {
    const python = pythonProgram();
    const director = await startDirector();
    const cluster = await startCluster();
    const command = [python, '-I', '-S', peerProgram, String(director.port)];
    const config = (url: string) => ({
      image: 'peer:1',
      command,
      kubernetes: { url, namespace: 'tasks', poll: 0.02 },
    });
    return {
      open: open(config(cluster.url)),
      openNowhere: open(config('http://127.0.0.1:9')),
      stop: async () => {
        await director.stop();
        await cluster.stop();
      },
    };
  },
  many,
);
