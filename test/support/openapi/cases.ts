import fc from 'fast-check';
import { anyText } from '../characters.ts';
import type { FuzzCase, PathValue } from './case.ts';
import type { ApiDocument, Operation, Parameter } from './document.ts';
import { formBytes, jsonText, type Spelling } from './encode.ts';
import { type Facts, unique } from './facts.ts';
import { faults } from './faults.ts';
import { harmlessHeaders } from './headers.ts';
import { invalid, invalidObject } from './invalid-values.ts';
import type { Oracle, Verdict } from './oracle.ts';
import { type Location, valid } from './values.ts';

/** The sources of generated cases. */
export interface Source {
	readonly document: ApiDocument;
	readonly facts: Facts;
	readonly oracle: Oracle;
}

/** The members that every kind of case starts with. */
export type Base = Omit<FuzzCase, 'verdict' | 'about'>;

/** Requests to one operation. Half of them are valid, half have one or several faults. */
export function cases(source: Source, operation: Operation): fc.Arbitrary<FuzzCase> {
	const base = validBase(source, operation);
	const validCases = fc.tuple(base, validBody(source, operation)).map(([start, body]) => ({
		...start,
		...body,
		headers: { ...start.headers, ...body.headers },
	}));
	const invalidCases = [...faults(operation, validCases, source.facts)];
	const bodies = invalidBody(source, operation);
	if (bodies) {
		invalidCases.push({
			weight: 12,
			arbitrary: fc.tuple(base, bodies).map(([start, body]) => ({
				...start,
				...body,
				headers: { ...start.headers, ...body.headers },
			})),
		});
	}
	const queries = invalidQuery(source, operation);
	if (queries) invalidCases.push({ weight: 8, arbitrary: changed(validCases, queries) });
	const paths = invalidPath(source, operation);
	if (paths) invalidCases.push({ weight: 5, arbitrary: changed(validCases, paths) });
	return fc.oneof({ weight: 1, arbitrary: validCases }, { weight: 1, arbitrary: fc.oneof(...invalidCases) });
}

function changed(validCases: fc.Arbitrary<FuzzCase>, changes: fc.Arbitrary<Partial<FuzzCase>>): fc.Arbitrary<FuzzCase> {
	return fc.tuple(validCases, changes).map(([start, change]) => ({ ...start, ...change }));
}

function validBase(source: Source, operation: Operation): fc.Arbitrary<Base> {
	const { method, path } = operation;
	const documented = ownHeaders(source, operation);
	return fc
		.record({
			transport: fc.constantFrom('fetch', 'fetch', 'fetch', 'socket' as const),
			extra: harmlessHeaders(operation),
			documented,
			query: validQuery(source, operation),
		})
		.map(({ transport, extra, documented, query }) => ({
			operation,
			transport,
			method,
			path,
			params: liveParams(operation),
			query,
			headers: { ...extra, ...documented },
			keyless: false,
			body: undefined,
		}));
}

/** A random subset of the headers that the operation documents. */
function ownHeaders({ facts }: Source, operation: Operation): fc.Arbitrary<Record<string, string>> {
	const values = parametersOf(operation, 'header').map(({ name }): [string, fc.Arbitrary<string | undefined>] => {
		const known = facts.known[`${operation.name} ${name}`];
		// Unique keys: a key that another request has sent with another body would be a conflict.
		const bodies = known ? fc.constantFrom(...known) : fc.nat().map(unique);
		return [name.toLowerCase(), bodies];
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

function validBody(source: Source, operation: Operation): fc.Arbitrary<BodyPart> {
	const { requestBody } = operation;
	if (!requestBody) {
		return fc.constant({ body: undefined, headers: {}, verdict: 'accept', about: 'plain' });
	}
	const kinds = Object.entries(requestBody.content).map(([type, { schema }]) => {
		const values = valid(schema, locationOf(source, operation, type));
		const documented = type === 'application/json' ? withTolerated(source, operation, values) : values;
		const combination = source.facts.combinations?.[operation.name];
		const bodies = combination
			? fc.oneof({ weight: 19, arbitrary: documented }, { weight: 1, arbitrary: combination })
			: documented;
		const verdict = (value: unknown) => (source.oracle.isConsistent(operation, value) ? 'accept' : 'refuse');
		return encoded(bodies, type, verdict, `a valid ${type}`);
	});
	return fc.oneof(...kinds);
}

/** Adds values that the server accepts although the schema does not list them. */
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
		const [documented, name = ''] = at.split(/ (?=\S+$)/);
		return documented === operation.name ? [[name, value]] : [];
	});
	if (members.length === 0) return bodies;
	const addition = fc.subarray(members, { minLength: 1 });
	const mixed = fc
		.tuple(bodies, addition)
		.map(([body, added]) => ({ ...(body as object), ...Object.fromEntries(added) }));
	return fc.oneof({ weight: 3, arbitrary: bodies }, { weight: 1, arbitrary: mixed });
}

function invalidBody(source: Source, operation: Operation): fc.Arbitrary<BodyPart> | undefined {
	const { requestBody } = operation;
	if (!requestBody) return undefined;
	const kinds = Object.entries(requestBody.content).map(([type, { schema }]) => {
		const location = locationOf(source, operation, type);
		const members = { weight: 12, arbitrary: invalidObject(schema, location) };
		const whole = { weight: 1, arbitrary: invalid({}, location) };
		const values = type === 'application/json' ? fc.oneof(members, whole) : members.arbitrary;
		const verdict = (value: unknown) => source.oracle.body(operation, type, value);
		return encoded(values, type, verdict, `an altered ${type}`);
	});
	return fc.oneof(...kinds);
}

function locationOf({ document, facts }: Source, operation: Operation, type: string): Location {
	const encoding = type === 'application/json' ? 'json' : 'form';
	return { document, operation, facts, encoding, address: '' };
}

const spellings: fc.Arbitrary<Spelling> = fc.record({
	rotation: fc.nat(20),
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

// Equivalent spellings (RFC 9110 §8.3.1).
function contentType(isJson: boolean, { boundary, rotation, escaped }: Spelling): string {
	if (isJson) {
		const types = ['application/json', 'Application/JSON', 'application/json; charset="UTF-8"'];
		return types[rotation % types.length] ?? '';
	}
	const name = escaped ? 'multipart/form-data' : 'Multipart/Form-Data';
	return rotation % 2 ? `${name}; boundary="${boundary}"` : `${name};boundary=${boundary}`;
}

function validQuery({ document, facts }: Source, operation: Operation): fc.Arbitrary<string> {
	const known = parametersOf(operation, 'query').map(({ name, schema, required }) => {
		const location: Location = { document, operation, facts, encoding: 'form', address: name };
		const value = valid(schema, location).map((text) => [name, String(text)]);
		const isRequired = required || facts.needed?.includes(`${operation.name} ${name}`);
		return isRequired ? value : fc.option(value, { nil: undefined });
	});
	const extra = fc.constantFrom(undefined, undefined, ['fuzz', '1'], ['fuzz', ''], ['x[]', 'é']);
	return fc.tuple(fc.boolean(), extra, ...known).map(([isReversed, ...pairs]) => {
		const sent = pairs.filter((pair) => pair !== undefined) as [string, string][];
		const text = new URLSearchParams(isReversed ? sent.reverse() : sent).toString();
		return text === '' ? '' : `?${text}`;
	});
}

const unusualNumbers = ['-1', '101', '1e9', '1.5', '', ' ', 'abc', 'NaN', 'Infinity', '0x10', '٣', '1,2'];

/** One parameter with a value that the oracle judges, or the same parameter twice. */
function invalidQuery(
	{ document, facts, oracle }: Source,
	operation: Operation,
): fc.Arbitrary<Partial<FuzzCase>> | undefined {
	const parameters = parametersOf(operation, 'query');
	if (parameters.length === 0) return undefined;
	return fc.oneof(
		...parameters.map(({ name, schema }) => {
			const location: Location = { document, operation, facts, encoding: 'form', address: name };
			const once = fc.oneof(
				fc.constantFrom(...unusualNumbers),
				invalid(schema, location).filter((value) => typeof value === 'string'),
			);
			const twice = fc.tuple(valid(schema, location).map(String), once);
			return fc.oneof({ weight: 4, arbitrary: once }, { weight: 1, arbitrary: twice }).map((value) => {
				const values = [value].flat() as string[];
				const query = values.map((text) => `${name}=${encodeURIComponent(text.toWellFormed())}`);
				return {
					query: `?${query.join('&')}`,
					verdict: oracle.parameter(operation, name, values.length === 1 ? (values[0] ?? '') : values),
					about: `an altered ${name}`,
				};
			});
		}),
	);
}

function invalidPath({ facts }: Source, operation: Operation): fc.Arbitrary<Partial<FuzzCase>> | undefined {
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
