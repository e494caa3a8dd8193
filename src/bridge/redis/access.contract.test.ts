import { afterAll, beforeAll } from 'vitest';
import { startRedis } from '../../../test/services/redis.ts';
import type { Restartable } from '../../../test/services/restartable.ts';
import { makeAuthority } from '../../rpc/http/certificates.suite.ts';
import { type Access, accessSuite } from '../suite/access.suite.ts';
import { silent } from '../suite/real.suite.ts';
import { openRedis } from './broker.ts';

const authority = makeAuthority();
const password = 'open-sesame';
let server: Restartable;
beforeAll(async () => {
  server = await startRedis({ ...authority.issue('localhost'), password });
}, 300_000);
afterAll(() => server.stop());

const open = (access: Access) =>
  openRedis({
    url: server.url,
    ...(access.ca === undefined ? {} : { tls: { ca: access.ca } }),
    ...(access.password === undefined ? {} : { password: access.password }),
    logger: silent,
  });
accessSuite('Redis', () => ({ ca: authority.cert, password, open }));
