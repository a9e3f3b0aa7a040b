import { setTimeout as delay } from 'node:timers/promises';
import { defineConfig } from '@plinth/core';
import { fakeChat } from './fake-chat.ts';

/**
 * The default composition with two models that repeat the last message: one at once, one at the pace of a reasoning
 * model.
 */
export default defineConfig({
	extends: 'plinth:embedded',
	models: { 'echo-1': fakeChat(), 'paced-1': fakeChat({ held: () => delay(40) }) },
});
