import { definePlugin, defineRoute, valueErrors } from '@plinth/core';
import { z } from 'zod';

const request = z.object({
	name: z.string().min(1).max(100).describe('The name of the person to greet.'),
	times: z.int().min(1).max(10).default(1).describe('The number of greetings.'),
});
const greeting = z.object({ greeting: z.string() }).meta({ id: 'Greeting' });

/** A plugin with one route. The server checks requests, and documents the route in `/openapi.json`. */
export const greetings = definePlugin({
	id: 'greetings',
	// The options of the plugin. A wrong option keeps the server from starting.
	config: z.strictObject({ words: z.string().min(1).default('Good morning') }),
	setup({ config, route }) {
		const createGreeting = defineRoute({
			method: 'POST',
			path: '/v1/greetings',
			// Keys need this scope.
			scope: 'greetings',
			summary: 'Create a greeting',
			body: request,
			response: { description: 'The greeting.', schema: greeting },
			errors: valueErrors,
			async handler({ body: { name, times } }) {
				return { greeting: Array.from({ length: times }, () => `${config.words}, ${name}!`).join(' ') };
			},
		});
		route(createGreeting);
	},
});
