import type { ResultOf } from '../../sdk/index.ts';
import { details, type View } from '../output/table.ts';
import { ago } from '../output/time.ts';

type Agent = ResultOf<'agent.get'>;

export function agentText(agent: Agent, view: View): string {
  const { retry_config: retry, circuit_breaker_config: breaker, health_config: health, updated_at } = agent;
  return details(
    [
      ['Agent', agent.name],
      ['Address', agent.url],
      ['Description', agent.description],
      ['Protocol', agent.protocol],
      [
        'Told',
        Object.keys(agent.protocol_config).length === 0 ? null : JSON.stringify(agent.protocol_config),
      ],
      ['Implements', agent.implements.length === 0 ? null : agent.implements.join(', ')],
      ['Shown', agent.auth_config.type],
      ['Timeout', `${agent.timeout} ms`],
      [
        'Retries',
        `${retry.max_retries}, first after ${retry.initial_delay_ms} ms, then ×${retry.backoff_multiplier}`,
      ],
      ['Breaker', breaker.enabled === false ? 'off' : `after ${breaker.failure_threshold} failures in a row`],
      ['Health', health === undefined ? null : `asked every ${health.every_seconds} s`],
      ['Limits', agent.limits === undefined ? null : limitsText(agent.limits)],
      ['Pool', poolText(agent)],
      ['From', agent.source === 'file' ? 'the configuration' : `the API, version ${agent.version}`],
      ['Changed', updated_at === null ? null : `${updated_at} (${ago(updated_at, view.now)})`],
      ['Provider', agent.provider],
      ['Problem', agent.problem, 'red'],
    ],
    view,
  );
}

function limitsText({ concurrency, rate, burst }: NonNullable<Agent['limits']>): string {
  const told = [
    concurrency === undefined ? null : `${concurrency} at once`,
    rate === undefined ? null : `${rate}${burst === undefined ? '' : `, ${burst} after a rest`}`,
  ];
  return told.filter((one) => one !== null).join(', ');
}

function poolText({ weight, tier, zone, models }: Agent): string | null {
  const told = Object.entries({ weight, tier, zone, models: models?.join(' ') });
  const given = told.filter(([, value]) => value !== undefined);
  return given.length === 0 ? null : given.map(([key, value]) => `${key} ${value}`).join(', ');
}
