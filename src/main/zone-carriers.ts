import type { Config } from '../config.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Carrier } from '../zone/carrier.ts';

export type CarrierSettings = NonNullable<Config['zone']['gateway']>['carrier'];

export type CarrierSurroundings = {
  readonly config: Config;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
};

export async function openCarrier(_settings: CarrierSettings, _: CarrierSurroundings): Promise<Carrier> {
  throw new Error('not there yet');
}
