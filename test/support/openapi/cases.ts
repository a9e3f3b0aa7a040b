import fc from 'fast-check';
import { anyText } from '../characters.ts';
import type { FuzzCase, PathValue } from './case.ts';
import type { ApiDocument, Operation, Parameter } from './document.ts';
import { formBytes, jsonText, type Spelling } from './encode.ts';
import { type Facts, unique } from './facts.ts';
import { faults } from './faults.ts';
import { harmlessHeaders } from './headers.ts';
import type { Oracle, Verdict } from './oracle.ts';
import { type Place, valid } from './values.ts';
import { wrong, wrongObject } from './wrong.ts';

/** What cases are made from. */
export interface Source {
	readonly document: ApiDocument;
	readonly facts: Facts;
	readonly oracle: Oracle;
}

/** What every kind of case begins with. */
export type Base = Omit<FuzzCase, 'verdict' | 'about'>;

/** Requests to one operation, half of them right and half of them wrong in one way or in several. */
export function cases(source: Source, operation: Operation): fc.Arbitrary<FuzzCase> {
	const base = rightBase(source, operation);
	const right = fc.tuple(base, rightBody(source, operation)).map(([start, body]) => ({
		...start,
		...body,
		headers: { ...start.headers, ...body.headers },
	}));
	const wrongs = [...faults(operation, right, source.facts)];
	const bodies = wrongBody(source, operation);
	if (bodies) {
		wrongs.push({
			weight: 12,
			arbitrary: fc.tuple(base, bodies).map(([start, body]) => ({
				...start,
				...body,
				headers: { ...start.headers, ...body.headers },
			})),
		});
	}
	const queries = wrongQuery(source, operation);
	if (queries) wrongs.push({ weight: 8, arbitrary: changed(right, queries) });
	const paths = wrongPath(source, operation);
	if (paths) wrongs.push({ weight: 5, arbitrary: changed(right, paths) });
	return fc.oneof({ weight: 1, arbitrary: right }, { weight: 1, arbitrary: fc.oneof(...wrongs) });
}

function changed(right: fc.Arbitrary<FuzzCase>, changes: fc.Arbitrary<Partial<FuzzCase>>): fc.Arbitrary<FuzzCase> {
	return fc.tuple(right, changes).map(([start, change]) => ({ ...start, ...change }));
}

function rightBase(source: Source, operation: Operation): fc.Arbitrary<Base> {
	const { method, path } = operation;
	const own = ownHeaders(source, operation);
	return fc
		.record({
			carrier: fc.constantFrom('fetch', 'fetch', 'fetch', 'socket' as const),
			strange: harmlessHeaders(operation),
			own,
			query: rightQuery(source, operation),
		})
		.map(({ carrier, strange, own, query }) => ({
			operation,
			carrier,
			method,
			path,
			params: liveParams(operation),
			query,
			headers: { ...strange, ...own },
			keyless: false,
			body: undefined,
		}));
}

/** Some of the headers that the operation documents. */
function ownHeaders({ facts }: Source, operation: Operation): fc.Arbitrary<Record<string, string>> {
	const values = parametersOf(operation, 'header').map(({ name }): [string, fc.Arbitrary<string | undefined>] => {
		const known = facts.known[`${operation.name} ${name}`];
		// A key that another request may have sent with another body would be a conflict.
		const some = known ? fc.constantFrom(...known) : fc.nat().map(unique);
		return [name.toLowerCase(), some];
	});
	return fc.record(Object.fromEntries(values), { requiredKeys: [] }) as fc.Arbitrary<Record<string, string>>;
}

function liveParams(operation: Operation): Record<string, PathValue> {
	const names = parametersOf(operation, 'path').map(({ name }) => name);
	return Object.fromEntries(names.map((name) => [name, { live: name }]));
}

function parametersOf({ parameters = [] }: Operation, where: Parameter['in']): Parameter[] {
	return parameters.filter((parameter) => parameter.in === where);
}

type BodyPart = Pick<FuzzCase, 'body' | 'verdict' | 'about' | 'headers'>;

function rightBody(source: Source, operation: Operation): fc.Arbitrary<BodyPart> {
	const { requestBody } = operation;
	if (!requestBody) {
		return fc.constant({ body: undefined, headers: {}, verdict: 'accept', about: 'plain' });
	}
	const kinds = Object.entries(requestBody.content).map(([type, { schema }]) => {
		const values = valid(schema, placeOf(source, operation, type));
		const own = type === 'application/json' ? withTolerated(source, operation, values) : values;
		const scene = source.facts.scenes?.[operation.name];
		const some = scene ? fc.oneof({ weight: 19, arbitrary: own }, { weight: 1, arbitrary: scene }) : own;
		const verdict = (value: unknown) => (source.oracle.fits(operation, value) ? 'accept' : 'refuse');
		return encoded(some, type, verdict, `a right ${type}`);
	});
	return fc.oneof(...kinds);
}

/** Puts in what the product takes on purpose beside what the schema lists. */
function withTolerated(
	{ facts, document }: Source,
	operation: Operation,
	bodies: fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
	const schema = document.resolve(operation.requestBody?.content['application/json']?.schema ?? {});
	const { properties = {}, required = [], oneOf } = schema;
	const members = facts.tolerated.flatMap(({ at, value }): [string, unknown][] => {
		const needed = [required, ...(oneOf ?? []).map((form) => form.required ?? [])].flat();
		const optional = Object.keys(properties).filter((name) => !needed.includes(name));
		if (at === '*') return optional.map((name) => [name, value]);
		const [own, name = ''] = at.split(/ (?=\S+$)/);
		return own === operation.name ? [[name, value]] : [];
	});
	if (members.length === 0) return bodies;
	const some = fc.subarray(members, { minLength: 1 });
	const mixed = fc.tuple(bodies, some).map(([body, added]) => ({ ...(body as object), ...Object.fromEntries(added) }));
	return fc.oneof({ weight: 3, arbitrary: bodies }, { weight: 1, arbitrary: mixed });
}

function wrongBody(source: Source, operation: Operation): fc.Arbitrary<BodyPart> | undefined {
	const { requestBody } = operation;
	if (!requestBody) return undefined;
	const kinds = Object.entries(requestBody.content).map(([type, { schema }]) => {
		const place = placeOf(source, operation, type);
		const members = { weight: 12, arbitrary: wrongObject(schema, place) };
		const whole = { weight: 1, arbitrary: wrong({}, place) };
		const values = type === 'application/json' ? fc.oneof(members, whole) : members.arbitrary;
		const verdict = (value: unknown) => source.oracle.body(operation, type, value);
		return encoded(values, type, verdict, `a changed ${type}`);
	});
	return fc.oneof(...kinds);
}

function placeOf({ document, facts }: Source, operation: Operation, type: string): Place {
	const encoding = type === 'application/json' ? 'json' : 'form';
	return { document, operation, facts, encoding, address: '' };
}

const spellings: fc.Arbitrary<Spelling> = fc.record({
	turn: fc.nat(20),
	indent: fc.constantFrom(0, 0, 1, 4),
	escaped: fc.boolean(),
	boundary: fc.stringMatching(/^[A-Za-z0-9'_-]{8,60}$/),
	label: fc.constantFrom('application/octet-stream', 'image/png', 'text/html', 'image/jpeg'),
	suffix: fc.constantFrom('', '', '[]', '[0]'),
});

function encoded(
	values: fc.Arbitrary<unknown>,
	type: string,
	verdict: (value: unknown) => Verdict,
	about: string,
): fc.Arbitrary<BodyPart> {
	return fc.tuple(values, spellings).map(([value, spelling]) => {
		const isJson = type === 'application/json';
		const body = isJson ? Buffer.from(jsonText(value, spelling)) : formBytes(value, spelling);
		return {
			body,
			headers: { 'content-type': contentType(isJson, spelling) },
			verdict: verdict(value),
			about,
		};
	});
}

// All of them say the same (RFC 9110 §8.3.1).
function contentType(isJson: boolean, { boundary, turn, escaped }: Spelling): string {
	if (isJson) {
		const types = ['application/json', 'Application/JSON', 'application/json; charset="UTF-8"'];
		return types[turn % types.length] ?? '';
	}
	const name = escaped ? 'multipart/form-data' : 'Multipart/Form-Data';
	return turn % 2 ? `${name}; boundary="${boundary}"` : `${name};boundary=${boundary}`;
}

function rightQuery({ document, facts }: Source, operation: Operation): fc.Arbitrary<string> {
	const known = parametersOf(operation, 'query').map(({ name, schema, required }) => {
		const place: Place = { document, operation, facts, encoding: 'form', address: name };
		const value = valid(schema, place).map((text) => [name, String(text)]);
		const isNeeded = required || facts.needed?.includes(`${operation.name} ${name}`);
		return isNeeded ? value : fc.option(value, { nil: undefined });
	});
	const strange = fc.constantFrom(undefined, undefined, ['fuzz', '1'], ['fuzz', ''], ['x[]', 'é']);
	return fc.tuple(fc.boolean(), strange, ...known).map(([back, ...pairs]) => {
		const sent = pairs.filter((pair) => pair !== undefined) as [string, string][];
		const text = new URLSearchParams(back ? sent.reverse() : sent).toString();
		return text === '' ? '' : `?${text}`;
	});
}

const oddNumbers = ['-1', '101', '1e9', '1.5', '', ' ', 'abc', 'NaN', 'Infinity', '0x10', '٣', '1,2'];

/** One parameter with a value that the oracle judges, or twice. */
function wrongQuery(
	{ document, facts, oracle }: Source,
	operation: Operation,
): fc.Arbitrary<Partial<FuzzCase>> | undefined {
	const named = parametersOf(operation, 'query');
	if (named.length === 0) return undefined;
	return fc.oneof(
		...named.map(({ name, schema }) => {
			const place: Place = { document, operation, facts, encoding: 'form', address: name };
			const once = fc.oneof(
				fc.constantFrom(...oddNumbers),
				wrong(schema, place).filter((value) => typeof value === 'string'),
			);
			const twice = fc.tuple(valid(schema, place).map(String), once);
			return fc.oneof({ weight: 4, arbitrary: once }, { weight: 1, arbitrary: twice }).map((value) => {
				const values = [value].flat() as string[];
				const query = values.map((text) => `${name}=${encodeURIComponent(text.toWellFormed())}`);
				return {
					query: `?${query.join('&')}`,
					verdict: oracle.parameter(operation, name, values.length === 1 ? (values[0] ?? '') : values),
					about: `a changed ${name}`,
				};
			});
		}),
	);
}

function wrongPath({ facts }: Source, operation: Operation): fc.Arbitrary<Partial<FuzzCase>> | undefined {
	const [parameter] = parametersOf(operation, 'path');
	if (!parameter) return undefined;
	const { name } = parameter;
	const absent = facts.absent(operation, name).map((text) => encodeURIComponent(text));
	const text = fc.oneof(
		fc.constantFrom(...absent),
		anyText({ minLength: 1, maxLength: 80 }).map(encodeURIComponent),
		fc.constantFrom('%2e%2e%2f', '%00', "'%20or%201=1", '%F0%9F%8C%8A', '__proto__', 'constructor'),
		fc.constantFrom('%', '%zz', '%ff', '%c3%28').map((bad) => `a${bad}`),
	);
	return text
		.filter((sent) => sent !== '.' && sent !== '..')
		.map((sent) => ({
			params: { [name]: { text: sent } },
			verdict: 'refuse' as const,
			about: `another ${name}`,
			statuses: [400, 404],
		}));
}
