import { definePlugin, defineRoute } from '@plinth/core';
import { z } from 'zod';

const sky = defineRoute({
	method: 'GET',
	path: '/v1/weather',
	summary: 'Tell the weather',
	response: { description: 'The sky.' },
	errors: [],
	handler: () => ({ sky: 'blue' }),
});

export const weather = definePlugin({
	id: 'weather',
	config: z.strictObject({}),
	setup: ({ route }) => route(sky),
});
