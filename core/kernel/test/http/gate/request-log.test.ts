import { expect, test, vi } from 'vitest';
import type { Exchange } from '../../../src/http/exchange.ts';
import { RequestLog } from '../../../src/http/gate/request-log.ts';
import { type Line, recorder } from '../support.ts';

/** The requests' log, with its lines and how many loggers were made of its own. */
function counting() {
	const lines: Line[] = [];
	const log = recorder(lines);
	return { lines, child: vi.spyOn(log, 'child'), requests: new RequestLog(log) };
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
	const { lines, child, requests } = counting();
	requests.write(exchange('a'));
	requests.write(exchange('a', { requestId: 'r2', res: { statusCode: 503 }, isCut: true }));
	requests.write(exchange('a', { requestId: 'r3', left: true, usage: { total_tokens: 3 } }));
	const common = { method: 'GET', route: '/v1/things', tenant: 'a', principal: 'key-a', dur_ms: 5 };
	expect(lines.map(({ fields }) => fields)).toEqual([
		{ ...common, req_id: 'req_a', status: 200 },
		{ ...common, req_id: 'r2', status: 503, cut: true },
		{ ...common, req_id: 'r3', status: 499, usage: { total_tokens: 3 } },
	]);
	expect(child).toHaveBeenCalledTimes(1);
});

test.each([
	['model', { model: 'm' }],
	['route', { route: '/v1/others' }],
	['method', { req: { method: 'HEAD' } }],
	['principal', { principal: undefined }],
])('another %s is another kind', (_, more) => {
	const { lines, child, requests } = counting();
	requests.write(exchange('a'));
	requests.write(exchange('a', more));
	expect(child).toHaveBeenCalledTimes(2);
	expect(lines[1]?.fields).not.toEqual(lines[0]?.fields);
});

test('whatever the names of a host hold, no kind is taken for another', () => {
	const { lines, requests } = counting();
	const named = (tenant: string, id: string) => exchange('a', { principal: { id, tenant, scopes: [] } });
	requests.write(named('a b', 'c'));
	requests.write(named('a', 'b c'));
	expect(lines.map(({ fields }) => [fields.tenant, fields.principal])).toEqual([
		['a b', 'c'],
		['a', 'b c'],
	]);
});

test('more kinds than are remembered all have their lines', () => {
	const { lines, child, requests } = counting();
	const tenants = Array.from({ length: 1_001 }, (_, at) => `t${at}`);
	for (const tenant of [...tenants, 't1000', 't0']) requests.write(exchange(tenant));
	expect(lines.map(({ fields }) => fields.tenant)).toEqual([...tenants, 't1000', 't0']);
	// The last one was remembered; the first had been forgotten to make room.
	expect(child).toHaveBeenCalledTimes(1_002);
});
