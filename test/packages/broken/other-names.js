import { defineModel, defineModelKind, definePlugin } from '@plinth/core';
import { z } from 'zod';

const config = z.strictObject({});

export const skies = defineModelKind('sky');

export const models = {
	sky: defineModel({ kind: skies, name: 'weather.sky', config, create: () => ({}) }),
};

export const weather = definePlugin({ id: 'weather', config, models: [skies], setup() {} });
