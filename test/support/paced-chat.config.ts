import { setTimeout as delay } from 'node:timers/promises';
import { defineConfig } from '@plinth/core';
import { fakeChat } from './fake-chat.ts';

/** The built-in composition with two models that say things back: one at once, one at the pace of a model that thinks. */
export default defineConfig({
	extends: 'plinth:embedded',
	models: { 'echo-1': fakeChat(), 'paced-1': fakeChat({ held: () => delay(40) }) },
});
