import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type FaultName, fault, faultCodes, faultMessage, isFaultName } from './faults.ts';
import { maySay, questionsTo, requestTypes, responseTo, type SenderKind } from './messages.ts';

const byCode = (code: number) =>
  Object.keys(faultCodes).filter((name) => faultCodes[name as FaultName] === code);

/** As the record of the wire lists them. */
const names =
  `INVALID_JSON_RPC INVALID_PROTOCOL_VERSION INVALID_METHOD MISSING_ENVELOPE INVALID_ENVELOPE_FIELD
  MISSING_REQUIRED_FIELD INVALID_MESSAGE_TYPE INVALID_SENDER_FORMAT INVALID_TIMESTAMP AUTHENTICATION_FAILED
  AUTHORIZATION_FAILED DUPLICATE_REGISTRATION REGISTRATION_CLOSED INVALID_AGENT_STATE INVALID_MATCH_ID INVALID_ROUND_ID
  INVALID_LEAGUE_ID DUPLICATE_RESULT PRECONDITION_FAILED INVALID_REFEREE_ID INVALID_PLAYER_ID TIMEOUT_EXCEEDED
  REFEREE_UNAVAILABLE MATCH_EXECUTION_FAILED INTERNAL_ERROR`.split(/\s+/);

const league = fileURLToPath(new URL('..', import.meta.url));
const sources = readdirSync(league, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
);
const textOf = (files: readonly string[]) =>
  files.map((file) => readFileSync(join(league, file), 'utf8')).join();

describe('the names of faults', () => {
  it('are those of the record, each of them said somewhere and expected by a test', () => {
    expect(Object.keys(faultCodes).sort()).toEqual([...names].sort());
    const others = sources.filter((file) => !/protocol\/faults(\.test)?\.ts$/.test(file));
    const said = textOf(others.filter((file) => !/\.(test|suite)\.ts$/.test(file)));
    const expected = textOf(others.filter((file) => file.endsWith('.test.ts')));
    for (const name of names) {
      expect(said, name).toContain(`'${name}'`);
      expect(expected, name).toContain(`'${name}'`);
    }
  });

  it('have their codes', () => {
    expect(byCode(-32601)).toEqual(['INVALID_METHOD']);
    expect(byCode(-32602)).toEqual(['INVALID_REFEREE_ID', 'INVALID_PLAYER_ID']);
    expect(byCode(-32603)).toEqual(['INTERNAL_ERROR']);
    expect(byCode(-32600)).toHaveLength(10);
    expect(byCode(-32000)).toHaveLength(11);
    for (const name of Object.keys(faultCodes)) {
      expect(isFaultName(name)).toBe(true);
      expect(faultMessage(fault(name as FaultName, 'x').code)).not.toBe('Error');
    }
    expect(isFaultName('toString')).toBe(false);
  });
});

describe('who says what', () => {
  it('goes by hub and spoke', () => {
    const kinds: readonly SenderKind[] = ['league_manager', 'admin', 'referee', 'player'];
    const pairs = kinds.flatMap((from) => kinds.map((to) => [from, to] as const));
    const spoken = pairs.filter(([from, to]) => requestTypes.some((type) => maySay(type, from, to)));
    expect(spoken.map((pair) => pair.join(' → '))).toEqual([
      'league_manager → referee',
      'league_manager → player',
      'admin → league_manager',
      'referee → league_manager',
      'referee → player',
      'player → league_manager',
    ]);
    expect(questionsTo('player')).toEqual([
      'GAME_INVITATION',
      'REQUEST_MOVE',
      'GAME_OVER',
      'ROUND_ANNOUNCEMENT',
    ]);
    expect(responseTo('ROUND_ANNOUNCEMENT')).toBe('ROUND_ANNOUNCEMENT_ACK');
  });
});
