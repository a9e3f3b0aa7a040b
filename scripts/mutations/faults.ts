import type { Fault } from './fault.ts';
import { blobFaults } from './faults/blobs.ts';
import { cliFaults } from './faults/cli.ts';
import { egressFaults } from './faults/egress.ts';
import { httpFaults } from './faults/http.ts';
import { jobFaults } from './faults/jobs.ts';
import { keyFaults } from './faults/keys.ts';
import { modelFaults } from './faults/models.ts';
import { pluginFaults } from './faults/plugins.ts';
import { processFaults } from './faults/process.ts';
import { toolkitFaults } from './faults/toolkit.ts';
import { webhookFaults } from './faults/webhooks.ts';

/** Every fault that `npm run test:mutations` applies. A new list of faults is a file in `faults/` and a line here. */
export const faults: readonly Fault[] = [
	...keyFaults,
	...httpFaults,
	...blobFaults,
	...egressFaults,
	...toolkitFaults,
	...modelFaults,
	...jobFaults,
	...pluginFaults,
	...webhookFaults,
	...cliFaults,
	...processFaults,
];
