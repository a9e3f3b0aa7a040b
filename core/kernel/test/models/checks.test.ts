import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineModel } from '../../src/index.ts';
import { toyApp, toyKind } from './support.ts';

const checked = defineModel({
	kind: toyKind,
	name: 'test.checked',
	config: z.strictObject({ fails: z.boolean() }),
	create: ({ id, config: { fails } }) => ({
		id,
		check: async () => {
			if (fails) throw new Error('connect ECONNREFUSED');
			return ['has no weights.'];
		},
	}),
});

test('a model whose check rejects does not hide the problems of the others', async () => {
	const { app } = await toyApp({ a: checked({ fails: true }), b: checked({ fails: false }) });
	expect(await app.checkModels()).toEqual(['model a: connect ECONNREFUSED', 'model b: has no weights.']);
});
