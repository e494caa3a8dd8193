import { expect, it } from 'vitest';
import { Complaints } from './complaints.ts';
import { brokerAway, brokerRefused } from './errors.ts';

it('trouble that comes again and again is told once, and again after it was over', () => {
  const told: string[] = [];
  const note = (level: string) => (message: string) => void told.push(`${level} ${message}`);
  const logger = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
  const complaints = new Complaints(logger);
  const [away, refused] = [brokerAway('not read', 'b:1'), brokerRefused('not allowed', 'ask for the right')];
  for (const error of [away, away, refused, refused, away]) complaints.about(error);
  complaints.over();
  complaints.about(away);
  const [gone, no] = [`debug ${away.message}`, 'warn not allowed'];
  expect(told).toEqual([gone, no, gone, gone]);
});
