import { definePlugin } from '@plinth/core';

export const weather = definePlugin({ id: 'weather', setup() {} });
