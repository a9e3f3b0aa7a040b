import { describe, expect, test } from 'vitest';
import { buildGraph, type GraphNode } from '../../src/engine/boot/graph.ts';
import { defineService, optional, type ServiceRef } from '../../src/index.ts';

const a = defineService<string>('test.a');
const b = defineService<string>('test.b');
const none = new Set<string>();

function node(
	owner: string,
	needs: readonly ServiceRef<unknown>[],
	provides: readonly ServiceRef<unknown>[],
): GraphNode {
	return {
		owner,
		path: `x.${owner}`,
		needs: Object.fromEntries(needs.map((ref, index) => [`n${index}`, ref])),
		provides,
	};
}

describe('the graph of services', () => {
	test('puts providers before those who need them, whatever the order of the config', () => {
		const { order, problems } = buildGraph(
			[node('third', [b], []), node('second', [a], [b]), node('first', [], [a])],
			none,
		);
		expect(order.map(({ owner }) => owner)).toEqual(['first', 'second', 'third']);
		expect(problems).toEqual([]);
	});

	test('names who needs a service that nothing provides', () => {
		const { problems } = buildGraph([node('video', [a], [])], none);
		expect(problems).toMatchObject([
			{
				code: 'E_SERVICE_MISSING',
				owner: 'video',
				path: 'x.video',
				message: expect.stringContaining('test.a'),
			},
		]);
	});

	test('lets an optional service be absent', () => {
		expect(buildGraph([node('chat', [optional(a)], [])], none).problems).toEqual([]);
	});

	test('names both providers of one service', () => {
		const { problems } = buildGraph([node('one', [], [a]), node('two', [], [a])], none);
		expect(problems).toMatchObject([
			{
				code: 'E_SERVICE_DUPLICATE',
				owner: 'two',
				message: expect.stringContaining('one (x.one)'),
			},
		]);
	});

	test('refuses to replace a service of the kernel', () => {
		const { problems } = buildGraph([node('one', [], [a])], new Set([a.id]));
		expect(problems).toMatchObject([{ code: 'E_SERVICE_DUPLICATE' }]);
	});

	test('prints a circle as a path, once', () => {
		const { problems } = buildGraph([node('one', [b], [a]), node('two', [a], [b])], none);
		expect(problems).toHaveLength(1);
		expect(problems[0]?.message).toContain('one -> two -> one');
	});
});
