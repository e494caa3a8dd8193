import { expect, it } from 'vitest';
import { leftAlone } from './faults.ts';
import { loadServerConfig } from './load.ts';

const text = `protocols:
  - name: act/v1
    methods: {act: {}}
    providers:
      - {id: near, type: rest, via: local, config: {url: 'https://api.example', methods: {act: {path: /}}}}
      - {id: far, type: grpc, config: {url: 'grpc://api.example', service: a.B}}
      - {id: tool, type: process, config: {command: [cat]}}
      - {id: zone, type: execution-zone, via: local, config: {url: 'https://zone.example'}}
      - {id: core, type: execution-zone, via: local, config: {runtime_arn: 'arn:aws:x', region: eu-west-1}}
agents:
  - {name: searcher, url: 'https://agent.example', protocol: simple-a2a}
`;

const load = (env = {}) => loadServerConfig({ file: null, text, env, cwd: '/', database_url: true });

it('whom no faults can reach is named, and why', async () => {
  const core = { name: 'core', why: 'requests to AgentCore are signed for its address' };
  expect(leftAlone(await load())).toEqual([core]);
  const why = 'a bridge makes its calls';
  expect(leftAlone(await load({ KAFKA_BROKERS: '127.0.0.1:9092' }))).toEqual([
    { name: 'far', why },
    core,
    { name: 'searcher', why },
  ]);
});
