import { describe, expect, it } from 'vitest';
import { defaultGroups, defaultTopics } from '../bridge/topics.ts';
import { describeConfig } from './describe.ts';
import { dispatchVariables } from './dispatch.ts';
import { load, mistakes } from './testing.suite.ts';

const shared = { kafka_brokers: true, shared_variables: dispatchVariables };
const brokers = { KAFKA_BROKERS: 'a:9092, b:9093,' };

describe('how calls leave', () => {
  it('is by the engine itself unless somebody says otherwise', async () => {
    const { dispatch } = await load('');
    expect(dispatch).toMatchObject({ type: 'local', brokers: [], wait: 600, window: 1024, partitions: 12 });
    expect(dispatch).toMatchObject({ requests: false, monitoring: false, topics: defaultTopics });
    expect(dispatch).toMatchObject({
      consumer_group: defaultGroups.bridges,
      engine_group: defaultGroups.engines,
    });
  });

  it('is through Kafka where KAFKA_BROKERS is set, for commands that read it', async () => {
    const { dispatch, sources } = await load('', { env: brokers, ...shared });
    expect(dispatch).toMatchObject({ type: 'kafka', brokers: ['a:9092', 'b:9093'] });
    expect([sources['dispatch.type'], sources['dispatch.brokers[1]'], sources['dispatch.wait']]).toEqual([
      ...['env KAFKA_BROKERS', 'env KAFKA_BROKERS', 'default'],
    ]);
    expect((await load('', { env: brokers })).dispatch.type).toBe('local');
  });

  it('is by the names people already use, which win over the file, and ours over them', async () => {
    const env = { TASKS_TOPIC: 'tasks', RESULTS_TOPIC: 'results', CONSUMER_GROUP_ID: 'bridges', ...brokers };
    const file = 'dispatch: {type: kafka, brokers: [c:1], topics: {tasks: mine, control: my.control}}';
    const { dispatch } = await load(file, { env, ...shared });
    expect(dispatch).toMatchObject({
      ...{ brokers: ['a:9092', 'b:9093'], consumer_group: 'bridges' },
      topics: { tasks: 'tasks', results: 'results', control: 'my.control' },
    });
    const ours = { GLEITZEIT_DISPATCH_TOPICS_TASKS: 'ours', GLEITZEIT_DISPATCH_BROKERS: 'd:4', ...env };
    expect((await load(file, { env: ours, ...shared })).dispatch).toMatchObject({
      ...{ brokers: ['d:4'], topics: { tasks: 'ours' } },
    });
  });

  it('says that KAFKA_BROKERS is not used where the file has another broker', async () => {
    const { dispatch, warnings } = await load('dispatch: {type: redis, url: redis://a}', {
      env: brokers,
      ...shared,
    });
    expect(dispatch).toMatchObject({ type: 'redis', brokers: [] });
    expect(warnings).toEqual([
      'the environment variable KAFKA_BROKERS is not used, since dispatch.type is redis',
    ]);
  });

  it('shows no password', async () => {
    const file =
      'secrets: {p: {env: P}}\ndispatch: {type: rabbitmq, url: "amqp://u:hunter22@a", password: "${secrets.p}"}';
    const config = await load(file, { env: { P: 'open-sesame' } });
    expect(config.dispatch.password).toBe('open-sesame');
    const shown = JSON.stringify(describeConfig(config));
    expect(shown).not.toMatch(/open-sesame|hunter22/);
    expect(shown).toContain('amqp://u:');
  });

  it.each([
    ['dispatch: {type: kafka}', '1:18  dispatch.type: kafka needs brokers'],
    ['dispatch: {type: redis}', '1:18  dispatch.type: redis needs a url'],
    ['dispatch:\n  type: rabbitmq\n  url: redis://a', '3:8  dispatch.url: is no address of rabbitmq'],
    ['dispatch: {type: nats}', '1:18  dispatch.type: must be one of local, kafka, redis, rabbitmq'],
    [
      'dispatch: {brokers: [kafka]}',
      '1:22  dispatch.brokers[0]: must be a name and a port such as kafka:9092',
    ],
    ['dispatch: {topics: {tasks: a b}}', '1:28  dispatch.topics.tasks: must be up to 249 letters'],
    ['dispatch: {topics: {tasks: x, results: x}}', '1:40  dispatch.topics.results: is the same as'],
    ['dispatch: {tls: {ca: none.pem}}', '1:22  dispatch.tls.ca: cannot be read'],
    ['dispatch: {wait: 0}', '1:18  dispatch.wait: must be'],
    ['dispatch: {topic: a}', '1:12  dispatch.topic: unknown key'],
  ])('is refused where it stands: %s', async (text, words) => {
    expect((await mistakes(text)).join('\n')).toContain(words);
  });
});
