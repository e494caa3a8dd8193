import { afterAll, beforeAll } from 'vitest';
import { startRabbit } from '../../../test/services/rabbitmq.ts';
import type { Restartable } from '../../../test/services/restartable.ts';
import { makeAuthority } from '../../rpc/http/certificates.suite.ts';
import { type Access, accessSuite } from '../suite/access.suite.ts';
import { silent } from '../suite/real.suite.ts';
import { openRabbit } from './broker.ts';

const authority = makeAuthority();
const [username, password] = ['alice', 'open-sesame'];
let server: Restartable;
beforeAll(async () => {
  server = await startRabbit({ ...authority.issue('localhost'), username, password });
}, 300_000);
afterAll(() => server.stop());

const open = (access: Access) =>
  openRabbit({
    url: server.url,
    ...(access.ca === undefined ? {} : { tls: { ca: access.ca } }),
    ...(access.password === undefined ? {} : { username, password: access.password }),
    logger: silent,
  });
accessSuite('RabbitMQ', () => ({ ca: authority.cert, password, open }));
