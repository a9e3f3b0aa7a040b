import { expect } from 'vitest';
import { failure, type RawClient } from './client.ts';

/** A field, a value at or beyond its limit, and the error code; without a code the value is allowed. */
export type Rule = readonly [param: string, value: unknown, code?: string];

/** Codes that several rules share. */
export const tooLong = 'string_above_max_length';
export const tooShort = 'string_below_min_length';
export const missing = 'missing_required_parameter';

/** A text of `count` code points. Every character takes two UTF-16 units and four bytes. */
export const waves = (count: number) => '🌊'.repeat(count);

/** The rules of every prompt. */
export const prompts: readonly Rule[] = [
	['prompt', 'x'],
	['prompt', 'x'.repeat(32_000)],
	['prompt', waves(32_000)],
	['prompt', '', tooShort],
	['prompt', ' \n\u00a0', 'invalid_value'],
	['prompt', 'x'.repeat(32_001), tooLong],
	['prompt', waves(32_001), tooLong],
	['prompt', undefined, missing],
];

/** Errors with these codes name a parameter inside the field that was sent. */
const inner: Readonly<Record<string, string>> = {
	file_id: 'input_reference.file_id',
	image_url: 'input_reference.image_url',
};

/** Checks the response to a request with one value of a rule. `good` is the status for an allowed value. */
export async function expectRule(response: Response, [param, value, code]: Rule, good: number): Promise<void> {
	if (code === undefined) {
		expect(response.status).toBe(good);
		await response.arrayBuffer();
		return;
	}
	expect(response.status).toBe(400);
	const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
	const isReference = param === 'input_reference' && typeof value === 'object';
	const named = isReference ? inner[keys[0] ?? 'image_url'] : param;
	expect(await failure(response)).toMatchObject({
		code,
		param: named,
		type: 'invalid_request_error',
	});
}

const shown = (value: unknown) => (JSON.stringify(value) ?? 'nothing').slice(0, 40);
/** Rules with titles, for `test.each`. */
export const titled = (rules: readonly Rule[]) =>
	rules.map((rule) => ({
		title: `${rule[0]} ${shown(rule[1])}: ${rule[2] ?? 'is allowed'}`,
		rule,
	}));

/** JSON with numbers that JavaScript cannot represent. */
const jsonOf = (fields: object) =>
	JSON.stringify(fields, (_, value) => (value === Number.POSITIVE_INFINITY ? 'INFINITE' : value)).replace(
		'"INFINITE"',
		'1e999',
	);

/** Sends JSON. */
export function postJson(client: RawClient, path: string, fields: object): Promise<Response> {
	const headers = { 'content-type': 'application/json' };
	return client.send(path, { method: 'POST', headers, body: jsonOf(fields) });
}

/** Sends a form. Undefined fields are left out. */
export function postForm(client: RawClient, path: string, fields: object): Promise<Response> {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) {
		if (value !== undefined) form.append(name, value);
	}
	return client.send(path, { method: 'POST', body: form });
}
