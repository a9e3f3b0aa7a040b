import { expect, test } from 'vitest';
import type { Exchange } from '../../src/http/exchange.ts';
import { RequestLog } from '../../src/http/request-log.ts';
import type { Logger } from '../../src/ports/logger.ts';

/** A log that keeps its lines, and how many loggers were made of it. */
function counting() {
	const lines: object[] = [];
	const made = { loggers: 0 };
	const loggerOf = (bound: object): Logger => {
		const write = (fields: object) => void lines.push({ ...bound, ...fields });
		return {
			debug: write,
			info: write,
			warn: write,
			error: write,
			child(bindings) {
				made.loggers += 1;
				return loggerOf({ ...bound, ...bindings });
			},
		};
	};
	return { lines, made, requests: new RequestLog(loggerOf({})) };
}

/** What the log reads of an exchange. */
function exchange(tenant: string, more: object = {}): Exchange {
	return {
		req: { method: 'GET' },
		res: { statusCode: 200 },
		clock: { now: () => 1_005 },
		startedAt: 1_000,
		requestId: `req_${tenant}`,
		route: '/v1/things',
		principal: { id: `key-${tenant}`, tenant, scopes: [] },
		left: false,
		isCut: false,
		...more,
	} as unknown as Exchange;
}

test('requests of one kind share what they have in common, and each says what is its own', () => {
	const { lines, made, requests } = counting();
	requests.write(exchange('a'));
	requests.write(exchange('a', { requestId: 'r2', res: { statusCode: 503 }, isCut: true }));
	requests.write(exchange('a', { requestId: 'r3', left: true, usage: { total_tokens: 3 } }));
	const common = { method: 'GET', route: '/v1/things', tenant: 'a', principal: 'key-a', dur_ms: 5 };
	expect(lines).toEqual([
		{ ...common, req_id: 'req_a', status: 200 },
		{ ...common, req_id: 'r2', status: 503, cut: true },
		{ ...common, req_id: 'r3', status: 499, usage: { total_tokens: 3 } },
	]);
	expect(made.loggers).toBe(1);
});

test.each([
	['model', { model: 'm' }],
	['route', { route: '/v1/others' }],
	['method', { req: { method: 'HEAD' } }],
	['principal', { principal: undefined }],
])('another %s is another kind', (_, more) => {
	const { lines, made, requests } = counting();
	requests.write(exchange('a'));
	requests.write(exchange('a', more));
	expect(made.loggers).toBe(2);
	expect(lines[1]).not.toEqual(lines[0]);
});

test('more kinds than are remembered all have their lines', () => {
	const { lines, made, requests } = counting();
	const tenants = Array.from({ length: 1_001 }, (_, at) => `t${at}`);
	for (const tenant of [...tenants, 't1000', 't0']) requests.write(exchange(tenant));
	expect(lines.map((line) => (line as { tenant: string }).tenant)).toEqual([
		...tenants,
		't1000',
		't0',
	]);
	// The last one was remembered; the first had been forgotten to make room.
	expect(made.loggers).toBe(1_002);
});
