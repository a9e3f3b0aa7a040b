import { chatModelSuite } from '@plinth/plugin-chat/testing';
import { createModel } from '@plinth/testing';
import { test } from 'vitest';
import { builtinChat } from '../../src/chat/model.ts';

for (const { name, run } of chatModelSuite({
	create: () => createModel(builtinChat()),
	supports: { deterministic: true },
})) {
	test(name, run);
}
