import { describe, expect, it } from 'vitest';
import { type FaultName, fault, faultCodes, faultMessage, isFaultName } from './faults.ts';
import { maySay, questionsTo, requestTypes, responseTo, type SenderKind } from './messages.ts';

const byCode = (code: number) =>
  Object.keys(faultCodes).filter((name) => faultCodes[name as FaultName] === code);

describe('the names of faults', () => {
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
