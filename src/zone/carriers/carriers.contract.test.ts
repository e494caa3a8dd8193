import { carrierSuite } from '../carrier.suite.ts';
import { carrierSites } from './sites.suite.ts';

for (const site of carrierSites) carrierSuite(site);
