import { definePlugin, defineService } from '@plinth/core';
import { z } from 'zod';

const barometer = defineService('weather.barometer');

export const weather = definePlugin({
	id: 'weather',
	config: z.strictObject({}),
	needs: { barometer },
	setup() {},
});
