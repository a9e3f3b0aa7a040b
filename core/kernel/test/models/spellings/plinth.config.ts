import { defineConfig, env } from '@plinth/core';
import { toy, toys } from './toys.ts';

export default defineConfig({
	server: { auth: 'off' },
	models: {
		a: {
			use: toy(),
			concurrency: env('PLACES'),
			waiting: 0,
			timeoutSeconds: 1.5,
			fallback: ['spare'],
			circuit: { failures: env('FAILURES', '7') },
		},
		b: { use: toy(), circuit: false, listed: env('LISTED') },
		c: { use: toy(), aliases: ['spare'] },
		all: {
			balance: { a: 3, b: env('SHARE') },
			fallback: [env('STAND_IN')],
			aliases: ['every'],
			description: 'Toys.',
			ownedBy: 'me',
			listed: false,
		},
	},
	plugins: { toys: toys() },
});
