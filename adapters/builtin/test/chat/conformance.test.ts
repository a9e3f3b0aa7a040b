import type { ChatModel } from '@plinth/plugin-chat/model';
import { chatModelSuite } from '@plinth/plugin-chat/testing';
import { test } from 'vitest';
import { builtinChat } from '../../src/chat/model.ts';

for (const { name, run } of chatModelSuite({
	create: async () => {
		const model: ChatModel = await builtinChat.definition.create({ config: {} } as never);
		return { model, close: async () => {} };
	},
	supports: { deterministic: true },
})) {
	test(name, run);
}
