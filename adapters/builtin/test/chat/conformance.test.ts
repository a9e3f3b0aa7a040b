import { createModel } from '@plinth/core/testing';
import { chatModelSuite } from '@plinth/plugin-chat/testing';
import { test } from 'vitest';
import { builtinChat } from '../../src/chat/model.ts';

for (const { name, run } of chatModelSuite({
	create: () => createModel(builtinChat()),
	supports: { deterministic: true },
})) {
	test(name, run);
}
