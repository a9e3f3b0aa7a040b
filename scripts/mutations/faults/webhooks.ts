import type { Fault } from '../fault.ts';

const source = 'plugins/webhooks/src';
const changes = ['plugins/webhooks/test/endpoint-changes.test.ts'];
const options = ['plugins/webhooks/test/options.test.ts'];

/** Faults of webhook endpoints and deliveries. */
export const webhookFaults: readonly Fault[] = [
	{
		what: 'a slow process moves the cursor back',
		file: `${source}/consumer.ts`,
		find: 'const options = { ifVersion: stored?.version ?? 0 };',
		replace: 'const options = {};',
		tests: ['plugins/webhooks/test/sharing.test.ts'],
	},
	{
		what: 'callbacks of all tenants to one host share one limit',
		file: `${source}/deliveries.ts`,
		find: 'callback_${digest(tenant, origin)}',
		replace: 'callback_${digest("all", origin)}',
		tests: ['plugins/webhooks/test/pace.test.ts'],
	},
	{
		what: 'a late 410 of the old address disables the new one',
		file: `${source}/endpoints.ts`,
		find: 'record.url !== endpoint.url ||',
		replace: '',
		tests: changes,
	},
	{
		what: 'expired secrets replace valid ones',
		file: `${source}/endpoints.ts`,
		find: 'const unexpired = record.oldSecrets.filter(({ until }) => now < until);',
		replace: 'const unexpired = record.oldSecrets;',
		tests: changes,
	},
	{
		what: 'a replaced secret signs after its time',
		file: `${source}/endpoints.ts`,
		find: 'const old = record.oldSecrets.filter(({ until }) => now < until);',
		replace: 'const old = record.oldSecrets;',
		tests: changes,
	},
	{
		what: 'a receiver can request a wait of years',
		file: `${source}/sender.ts`,
		find: 'return Math.min(ms, longestRetryAfterMs);',
		replace: 'return ms;',
		tests: options,
	},
	{
		what: 'all failed attempts are repeated at the same instant',
		file: `${source}/options.ts`,
		find: '(0.9 + 0.2 * random())',
		replace: '1',
		tests: options,
	},
	{
		what: 'a redirect counts as a success',
		file: `${source}/sender.ts`,
		find: 'status >= 200 && status < 300',
		replace: 'status >= 200 && status < 400',
		tests: ['plugins/webhooks/test/failure.test.ts'],
	},
	{
		what: 'the text of a foreign error reaches the owner of an endpoint',
		file: `${source}/sender.ts`,
		find: "if (typeof code !== 'string') return 'the connection failed';",
		replace: "if (typeof code !== 'string') return String(error);",
		tests: ['plugins/webhooks/test/failure.test.ts'],
	},
];
