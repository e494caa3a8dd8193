import { expect, it } from 'vitest';
import type { ZoneTarget } from '../dialects/provider-type.ts';
import { quiet } from '../rpc/testing/quiet.suite.ts';
import {
  standInArn,
  standInCredentials,
  standInRegion,
  startStandIn,
} from '../zone/carriers/agentcore/stand-in.suite.ts';
import { zoneLine } from './zone-line.ts';

it('a line over AgentCore asks once: when a throttled task is tried again is for the engine to say', async () => {
  const service = await startStandIn({ container: async () => '' });
  service.throttle(100);
  const { accessKeyId: id, secretAccessKey: secret } = standInCredentials;
  const target: ZoneTarget = {
    ...{ by: 'agentcore', runtime_arn: standInArn, region: standInRegion, qualifier: undefined },
    ...{ endpoint: service.url, credentials: () => ({ id, secret }) },
  };
  const line = zoneLine({ ...target, max_bytes: 1_000_000 }, quiet.logger);
  const request = { id: 'a', method: 'get_async_task_result', params: { task_id: 't' } };
  await expect(line.ask(request, new AbortController().signal)).rejects.toMatchObject({
    code: 'GLZ2004',
    details: { details: { trouble: 'throttled' } },
  });
  expect(service.throttled).toBe(1);
  await line.close();
  await service.close();
});
