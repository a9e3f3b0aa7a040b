import fc from 'fast-check';
import type { FuzzCase } from './case.ts';
import type { Operation } from './document.ts';
import type { Facts } from './facts.ts';

type Right = fc.Arbitrary<FuzzCase>;

/** A kind of fault, and how often it is looked for. */
export interface Fault {
	readonly weight: number;
	readonly arbitrary: fc.Arbitrary<FuzzCase>;
}

/** Right requests made wrong around their values: bytes, types, keys, methods, paths, headers. */
export function faults(operation: Operation, right: Right, facts: Facts): readonly Fault[] {
	return [
		{ weight: 1, arbitrary: otherMethod(operation, right) },
		{ weight: 1, arbitrary: otherPath(operation, right) },
		...(operation.security?.length === 0 ? [] : [{ weight: 2, arbitrary: otherKey(right) }]),
		...(operation.requestBody ? bodyFaults(operation, right) : []),
		...keyFaults(operation, right, facts),
		...(hasHeader(operation, 'last-event-id') ? [{ weight: 2, arbitrary: badPosition(right) }] : []),
		...('416' in operation.responses ? [{ weight: 1, arbitrary: badRange(right) }] : []),
	];
}

function hasHeader({ parameters = [] }: Operation, name: string): boolean {
	return parameters.some((each) => each.in === 'header' && each.name.toLowerCase() === name);
}

function otherMethod(operation: Operation, right: Right): Right {
	const method = fc.constantFrom('PUT', 'PATCH', 'PURGE', 'LINK');
	return fc.tuple(right, method).map(([sent, other]) => ({
		...sent,
		method: operation.method === 'PUT' && other === 'PUT' ? 'PATCH' : other,
		body: undefined,
		headers: withoutBody(sent.headers),
		verdict: 'refuse' as const,
		about: `the method ${other}`,
		// Node itself refuses what is no method at all.
		statuses: [400, 405],
	}));
}

function otherPath({ path }: Operation, right: Right): Right {
	const changes = [
		`${path}/`,
		`${path}/nothing`,
		`/v9${path}`,
		`${path}%00`,
		`${path};a=b`,
		path.replace(/[a-z](?=[a-z]*(?:\/|$))/, (letter) => letter.toUpperCase()),
	];
	return fc.tuple(right, fc.constantFrom(...changes)).map(([sent, changed]) => ({
		...sent,
		path: changed,
		verdict: 'refuse' as const,
		about: 'another path',
		// Under the API an unknown path may also be a known one that does not answer to the method.
		statuses: [404, 405],
	}));
}

function otherKey(right: Right): Right {
	const keys: Record<string, string | string[]>[] = [
		{},
		{ authorization: 'Bearer nobody' },
		{ authorization: 'Bearer' },
		{ authorization: 'Basic a2V5' },
		{ authorization: 'Bearer a b' },
		{ authorization: 'Bearer \u00e9' },
		{ 'x-api-key': '' },
		{ 'x-api-key': 'nobody' },
		{ 'x-api-key': 'x'.repeat(2_000) },
		{ authorization: 'Bearer nobody', 'x-api-key': 'nobody else' },
		{ 'x-api-key': ['nobody', 'nobody'] },
		{ authorization: ['Bearer nobody', 'Bearer nobody'] },
	];
	return fc.tuple(right, fc.constantFrom(...keys)).map(([sent, key]) => ({
		...sent,
		headers: { ...sent.headers, ...key },
		keyless: true,
		verdict: 'refuse' as const,
		about: 'a bad key',
		statuses: [401],
	}));
}

function bodyFaults(operation: Operation, right: Right): readonly Fault[] {
	const { content = {} } = operation.requestBody ?? {};
	const json = [
		{ weight: 2, arbitrary: badJson(right) },
		{ weight: 1, arbitrary: strangeJson(right) },
		...tooLarge(operation, right),
	];
	return [
		{ weight: 2, arbitrary: badType(right) },
		...('application/json' in content ? json : []),
		...('multipart/form-data' in content ? [{ weight: 3, arbitrary: badForm(right) }] : []),
	];
}

/** One byte more than the description of the body allows; where that is much, it is only announced. */
function tooLarge({ requestBody }: Operation, right: Right): readonly Fault[] {
	const [, limit] = /application\/json: at most (\d+) bytes/.exec(requestBody?.description ?? '') ?? [];
	if (limit === undefined) return [];
	const bytes = Number(limit) + 1;
	const isMuch = bytes > 2_000_000;
	const body = Buffer.alloc(isMuch ? 10 : bytes, ' ');
	const arbitrary = right.map((sent) => ({
		...sent,
		...(isMuch ? { carrier: 'fetch' as const } : {}),
		body,
		headers: {
			...sent.headers,
			'content-type': 'application/json',
			...(isMuch ? { 'content-length': String(bytes) } : {}),
		},
		verdict: 'refuse' as const,
		about: 'a body that is too large',
		statuses: [413],
	}));
	return [{ weight: 1, arbitrary }];
}

function badJson(right: Right): Right {
	const texts = fc.constantFrom(
		...['', ' ', '{', '{"a":', '{"a":1,}', "{'a':1}", '[1,2', 'NaN', '{"a":NaN}', '{"a":Infinity}'],
		...['{"a":01}', '{"a":"\n"}', '{"a":"\\x"}', '{} {}', '/**/{}', '{"a":1 "b":2}', '\u0000', '<a/>'],
		...['{"__proto__":{"a":1}}', `${'['.repeat(100_000)}`, `{"a":${'['.repeat(70)}${']'.repeat(70)}}`],
	);
	const bytes = fc.oneof(
		{ weight: 6, arbitrary: texts.map((text) => Buffer.from(text)) },
		{ weight: 1, arbitrary: fc.constant(Buffer.from([0x22, 0xff, 0xfe])) },
	);
	return fc.tuple(right, bytes).map(([sent, body]) => ({
		...sent,
		body,
		headers: { ...sent.headers, 'content-type': 'application/json' },
		verdict: 'refuse' as const,
		about: 'malformed JSON',
		statuses: [400],
	}));
}

/** What JSON leaves open (RFC 8259 §4, §8.1): the server may take it or not, and must not stumble. */
function strangeJson(right: Right): Right {
	return fc.tuple(right, fc.constantFrom('double', 'mark', 'number', 'latin')).map(([sent, kind]) => {
		if (!/^application\/json/i.test(String(sent.headers['content-type']))) return sent;
		const text = Buffer.from(sent.body ?? []).toString();
		const body = {
			double: Buffer.from(text.replace(/^\s*\{/, `{"prompt":5,"model":[],"input":null,`)),
			mark: Buffer.from(`\ufeff${text}`),
			number: Buffer.from(text.replace(/^\s*\{/, '{"speed":1e400,"x_n":-1e-400,')),
			latin: Buffer.from(text, 'latin1'),
		}[kind];
		return { ...sent, ...(body && { body }), verdict: 'either' as const, about: `JSON: ${kind}` };
	});
}

function badType(right: Right): Right {
	const types = [
		{ 'content-type': 'text/plain' },
		{ 'content-type': 'application/x-www-form-urlencoded' },
		{ 'content-type': 'application/jsonx' },
		{ 'content-type': 'multipart/mixed; boundary=x' },
		{ 'content-type': '/' },
		{ 'content-type': '' },
		{ 'content-encoding': 'gzip' },
		{ 'content-encoding': 'identity, br' },
	];
	return fc.tuple(right, fc.constantFrom(...types)).map(([sent, type]) => ({
		...sent,
		headers: { ...sent.headers, ...(type as Record<string, string>) },
		verdict: 'refuse' as const,
		about: 'a type of body that is not taken',
		statuses: [415],
	}));
}

/** A text field of operations that have no prompt. */
const ownFields = [
	['/api', 'pages'],
	['/v1/files', 'purpose'],
] as const;

function badForm(right: Right): Right {
	const part = 'content-disposition: form-data; name="prompt"\r\n\r\nx';
	const file = 'content-disposition: form-data; name="input_reference"; filename="a.png"';
	const forms: readonly (readonly [type: string, body: string])[] = [
		['multipart/form-data', `--x\r\n${part}\r\n--x--\r\n`],
		['multipart/form-data; boundary=', `--x\r\n${part}\r\n--x--\r\n`],
		['multipart/form-data; boundary=y', `--x\r\n${part}\r\n--x--\r\n`],
		['multipart/form-data; boundary=x', `--x\r\n${part}`],
		['multipart/form-data; boundary=x', `--x\r\n${part}\r\n`],
		['multipart/form-data; boundary=x', `--x\r\n${file}\r\n\r\nPNG`],
		['multipart/form-data; boundary=x', 'nothing of the kind'],
		['multipart/form-data; boundary=x', '--x\r\nno header at all\r\n\r\nx\r\n--x--\r\n'],
		['multipart/form-data; boundary=x', '--x--\r\n'],
		['multipart/form-data; boundary=x', `--x\r\n${part.replace('prompt', '__proto__')}\r\n--x--\r\n`],
		['multipart/form-data; boundary=x', `--x\r\n${part.replace('prompt', '')}\r\n--x--\r\n`],
		['multipart/form-data; boundary=x', `--x\r\n${part.replace('prompt', 'a[b][c]'.repeat(9))}\r\n--x--\r\n`],
		['multipart/form-data; boundary=x', `${`--x\r\n${part}\r\n`.repeat(70)}--x--\r\n`],
		['multipart/form-data; boundary=x', `${`--x\r\n${file}\r\n\r\na\r\n`.repeat(20)}--x--\r\n`],
		['multipart/form-data; boundary=x', `--x\r\n${part}${'y'.repeat(140_000)}\r\n--x--\r\n`],
		[`multipart/form-data; boundary=${'x'.repeat(252)}`, `--${'x'.repeat(252)}\r\n`],
	];
	// A field that the operation has: a refusal names it.
	const named = ({ operation: { path } }: FuzzCase, body: string) => {
		const [, field = 'prompt'] = ownFields.find(([prefix]) => path.startsWith(prefix)) ?? [];
		return body.replaceAll('name="prompt"', `name="${field}"`);
	};
	return fc.tuple(right, fc.constantFrom(...forms)).map(([sent, [type, body]]) => ({
		...sent,
		body: Buffer.from(named(sent, body)),
		headers: { ...sent.headers, 'content-type': type },
		verdict: 'refuse' as const,
		about: 'a malformed form',
		statuses: [400, 413],
	}));
}

function keyFaults(operation: Operation, right: Right, { usedKey }: Facts): readonly Fault[] {
	if (!hasHeader(operation, 'idempotency-key')) return [];
	const keys = fc.constantFrom('', 'a b', 'x'.repeat(256), '\u00e9', 'a\tb');
	const bad = fc.tuple(right, keys).map(([sent, key]) => ({
		...sent,
		headers: { ...sent.headers, 'idempotency-key': key },
		verdict: 'refuse' as const,
		about: 'a bad Idempotency-Key',
		statuses: [400],
	}));
	if (usedKey === undefined) return [{ weight: 1, arbitrary: bad }];
	// Members that do not go together are refused before the key is looked up.
	const accepted = right.filter(({ verdict }) => verdict === 'accept');
	const used = accepted.map((sent) => ({
		...sent,
		headers: { ...sent.headers, 'idempotency-key': usedKey },
		verdict: 'refuse' as const,
		about: 'an Idempotency-Key of another request',
		statuses: [422],
	}));
	return [bad, used].map((arbitrary) => ({ weight: 1, arbitrary }));
}

function badPosition(right: Right): Right {
	const texts = fc.constantFrom('nonsense', 'a b', '-1', '1.5', 'x'.repeat(201), '\u00e9', 'a\tb');
	return fc.tuple(right, texts).map(([sent, text]) => ({
		...sent,
		headers: { ...sent.headers, 'last-event-id': text },
		verdict: 'refuse' as const,
		about: 'a bad Last-Event-ID',
		statuses: [400],
	}));
}

function badRange(right: Right): Right {
	const ranges = fc.constantFrom('bytes=99999999-', 'bytes=99999999-100000000', 'bytes=-0');
	return fc.tuple(right, ranges).map(([sent, range]) => ({
		...sent,
		headers: { range },
		verdict: 'refuse' as const,
		about: 'a range outside of the content',
		statuses: [416],
	}));
}

function withoutBody(headers: FuzzCase['headers']): FuzzCase['headers'] {
	const { 'content-type': _, ...rest } = headers;
	return rest;
}
