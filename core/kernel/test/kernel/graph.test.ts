import { describe, expect, test } from 'vitest';
import { buildGraph, type GraphNode } from '../../src/engine/boot/graph.ts';
import { type BootProblem, defineService, optional, type ServiceRef, services } from '../../src/index.ts';

const a = defineService<string>('test.a');
const b = defineService<string>('test.b');

function graph(nodes: readonly GraphNode[]) {
	const problems: BootProblem[] = [];
	return { ...buildGraph(nodes, problems), problems };
}

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
	test('puts providers before their consumers, for any order of the config', () => {
		const { order, problems } = graph([node('third', [b], []), node('second', [a], [b]), node('first', [], [a])]);
		expect(order.map(({ owner }) => owner)).toEqual(['first', 'second', 'third']);
		expect(problems).toEqual([]);
	});

	test('names the part that needs a missing service', () => {
		const { problems } = graph([node('video', [a], [])]);
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
		expect(graph([node('chat', [optional(a)], [])]).problems).toEqual([]);
	});

	test('names both providers of one service', () => {
		const { problems } = graph([node('one', [], [a]), node('two', [], [a])]);
		expect(problems).toMatchObject([
			{
				code: 'E_SERVICE_DUPLICATE',
				owner: 'two',
				message: expect.stringContaining('one (x.one)'),
			},
		]);
	});

	test('refuses to replace a service of the kernel', () => {
		const { problems } = graph([node('one', [], [services.clock])]);
		expect(problems).toMatchObject([{ code: 'E_SERVICE_DUPLICATE' }]);
	});

	test('prints a cycle as a path, once', () => {
		const { problems } = graph([node('one', [b], [a]), node('two', [a], [b])]);
		expect(problems).toHaveLength(1);
		expect(problems[0]?.message).toContain('one -> two -> one');
	});
});
