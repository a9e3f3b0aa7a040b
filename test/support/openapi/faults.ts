import fc from 'fast-check';
import type { FuzzCase } from './case.ts';
import type { Operation } from './document.ts';
import type { Facts } from './facts.ts';

type ValidCases = fc.Arbitrary<FuzzCase>;

/** A kind of fault and its relative frequency. */
export interface Fault {
	readonly weight: number;
	readonly arbitrary: fc.Arbitrary<FuzzCase>;
}

/** Valid requests with faults outside of their values: bytes, types, keys, methods, paths, headers. */
export function faults(operation: Operation, validCases: ValidCases, facts: Facts): readonly Fault[] {
	return [
		{ weight: 1, arbitrary: wrongMethod(operation, validCases) },
		{ weight: 1, arbitrary: alteredPath(operation, validCases) },
		...(operation.security?.length === 0 ? [] : [{ weight: 2, arbitrary: invalidKey(validCases) }]),
		...(operation.requestBody ? bodyFaults(operation, validCases) : []),
		...keyFaults(operation, validCases, facts),
		...(hasHeader(operation, 'last-event-id') ? [{ weight: 2, arbitrary: invalidPosition(validCases) }] : []),
		...('416' in operation.responses ? [{ weight: 1, arbitrary: invalidRange(validCases) }] : []),
	];
}

function hasHeader({ parameters = [] }: Operation, name: string): boolean {
	return parameters.some((each) => each.in === 'header' && each.name.toLowerCase() === name);
}

function wrongMethod(operation: Operation, validCases: ValidCases): ValidCases {
	const method = fc.constantFrom('PUT', 'PATCH', 'PURGE', 'LINK');
	return fc.tuple(validCases, method).map(([fuzzCase, other]) => ({
		...fuzzCase,
		method: operation.method === 'PUT' && other === 'PUT' ? 'PATCH' : other,
		body: undefined,
		headers: withoutBody(fuzzCase.headers),
		verdict: 'refuse' as const,
		about: `the method ${other}`,
		// Node itself answers 400 when the method is invalid.
		statuses: [400, 405],
	}));
}

function alteredPath({ path }: Operation, validCases: ValidCases): ValidCases {
	const changes = [
		`${path}/`,
		`${path}/nothing`,
		`/v9${path}`,
		`${path}%00`,
		`${path};a=b`,
		path.replace(/[a-z](?=[a-z]*(?:\/|$))/, (letter) => letter.toUpperCase()),
	];
	return fc.tuple(validCases, fc.constantFrom(...changes)).map(([fuzzCase, changed]) => ({
		...fuzzCase,
		path: changed,
		verdict: 'refuse' as const,
		about: 'an altered path',
		// An altered path may also match a known path that does not support the method.
		statuses: [404, 405],
	}));
}

function invalidKey(validCases: ValidCases): ValidCases {
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
	return fc.tuple(validCases, fc.constantFrom(...keys)).map(([fuzzCase, key]) => ({
		...fuzzCase,
		headers: { ...fuzzCase.headers, ...key },
		keyless: true,
		verdict: 'refuse' as const,
		about: 'an invalid key',
		statuses: [401],
	}));
}

function bodyFaults(operation: Operation, validCases: ValidCases): readonly Fault[] {
	const { content = {} } = operation.requestBody ?? {};
	const json = [
		{ weight: 2, arbitrary: malformedJson(validCases) },
		{ weight: 1, arbitrary: unusualJson(validCases) },
		...tooLarge(operation, validCases),
	];
	return [
		{ weight: 2, arbitrary: wrongContentType(validCases) },
		...('application/json' in content ? json : []),
		...('multipart/form-data' in content ? [{ weight: 3, arbitrary: malformedForm(validCases) }] : []),
	];
}

/**
 * A body of one byte more than its description allows. A large body is not sent: its content length alone exceeds the
 * limit.
 */
function tooLarge({ requestBody }: Operation, validCases: ValidCases): readonly Fault[] {
	const [, limit] = /application\/json: at most (\d+) bytes/.exec(requestBody?.description ?? '') ?? [];
	if (limit === undefined) return [];
	const bytes = Number(limit) + 1;
	const isLarge = bytes > 2_000_000;
	const body = Buffer.alloc(isLarge ? 10 : bytes, ' ');
	const arbitrary = validCases.map((fuzzCase) => ({
		...fuzzCase,
		...(isLarge ? { transport: 'fetch' as const } : {}),
		body,
		headers: {
			...fuzzCase.headers,
			'content-type': 'application/json',
			...(isLarge ? { 'content-length': String(bytes) } : {}),
		},
		verdict: 'refuse' as const,
		about: 'a body that is too large',
		statuses: [413],
	}));
	return [{ weight: 1, arbitrary }];
}

function malformedJson(validCases: ValidCases): ValidCases {
	const texts = fc.constantFrom(
		...['', ' ', '{', '{"a":', '{"a":1,}', "{'a':1}", '[1,2', 'NaN', '{"a":NaN}', '{"a":Infinity}'],
		...['{"a":01}', '{"a":"\n"}', '{"a":"\\x"}', '{} {}', '/**/{}', '{"a":1 "b":2}', '\u0000', '<a/>'],
		...['{"__proto__":{"a":1}}', `${'['.repeat(100_000)}`, `{"a":${'['.repeat(70)}${']'.repeat(70)}}`],
	);
	const bytes = fc.oneof(
		{ weight: 6, arbitrary: texts.map((text) => Buffer.from(text)) },
		{ weight: 1, arbitrary: fc.constant(Buffer.from([0x22, 0xff, 0xfe])) },
	);
	return fc.tuple(validCases, bytes).map(([fuzzCase, body]) => ({
		...fuzzCase,
		body,
		headers: { ...fuzzCase.headers, 'content-type': 'application/json' },
		verdict: 'refuse' as const,
		about: 'malformed JSON',
		statuses: [400],
	}));
}

/** Cases that JSON leaves open (RFC 8259 §4, §8.1): the server may accept or refuse them and must not fail. */
function unusualJson(validCases: ValidCases): ValidCases {
	return fc.tuple(validCases, fc.constantFrom('double', 'mark', 'number', 'latin')).map(([fuzzCase, kind]) => {
		if (!/^application\/json/i.test(String(fuzzCase.headers['content-type']))) return fuzzCase;
		const text = Buffer.from(fuzzCase.body ?? []).toString();
		const body = {
			double: Buffer.from(text.replace(/^\s*\{/, `{"prompt":5,"model":[],"input":null,`)),
			mark: Buffer.from(`\ufeff${text}`),
			number: Buffer.from(text.replace(/^\s*\{/, '{"speed":1e400,"x_n":-1e-400,')),
			latin: Buffer.from(text, 'latin1'),
		}[kind];
		return { ...fuzzCase, ...(body && { body }), verdict: 'either' as const, about: `JSON: ${kind}` };
	});
}

function wrongContentType(validCases: ValidCases): ValidCases {
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
	return fc.tuple(validCases, fc.constantFrom(...types)).map(([fuzzCase, type]) => ({
		...fuzzCase,
		headers: { ...fuzzCase.headers, ...(type as Record<string, string>) },
		verdict: 'refuse' as const,
		about: 'an unsupported content type',
		statuses: [415],
	}));
}

/** A text field for the operations without a prompt. */
const textFields = [
	['/api', 'pages'],
	['/v1/files', 'purpose'],
] as const;

function malformedForm(validCases: ValidCases): ValidCases {
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
	// A field that exists in the operation, so that the error names it.
	const withField = ({ operation: { path } }: FuzzCase, body: string) => {
		const [, field = 'prompt'] = textFields.find(([prefix]) => path.startsWith(prefix)) ?? [];
		return body.replaceAll('name="prompt"', `name="${field}"`);
	};
	return fc.tuple(validCases, fc.constantFrom(...forms)).map(([fuzzCase, [type, body]]) => ({
		...fuzzCase,
		body: Buffer.from(withField(fuzzCase, body)),
		headers: { ...fuzzCase.headers, 'content-type': type },
		verdict: 'refuse' as const,
		about: 'a malformed form',
		statuses: [400, 413],
	}));
}

function keyFaults(operation: Operation, validCases: ValidCases, { usedKey }: Facts): readonly Fault[] {
	if (!hasHeader(operation, 'idempotency-key')) return [];
	const keys = fc.constantFrom('', 'a b', 'x'.repeat(256), '\u00e9', 'a\tb');
	const invalid = fc.tuple(validCases, keys).map(([fuzzCase, key]) => ({
		...fuzzCase,
		headers: { ...fuzzCase.headers, 'idempotency-key': key },
		verdict: 'refuse' as const,
		about: 'an invalid Idempotency-Key',
		statuses: [400],
	}));
	if (usedKey === undefined) return [{ weight: 1, arbitrary: invalid }];
	// Inconsistent members are refused before the key is looked up.
	const accepted = validCases.filter(({ verdict }) => verdict === 'accept');
	const used = accepted.map((fuzzCase) => ({
		...fuzzCase,
		headers: { ...fuzzCase.headers, 'idempotency-key': usedKey },
		verdict: 'refuse' as const,
		about: 'the Idempotency-Key of another request',
		statuses: [422],
	}));
	return [invalid, used].map((arbitrary) => ({ weight: 1, arbitrary }));
}

function invalidPosition(validCases: ValidCases): ValidCases {
	const texts = fc.constantFrom('nonsense', 'a b', '-1', '1.5', 'x'.repeat(201), '\u00e9', 'a\tb');
	return fc.tuple(validCases, texts).map(([fuzzCase, text]) => ({
		...fuzzCase,
		headers: { ...fuzzCase.headers, 'last-event-id': text },
		verdict: 'refuse' as const,
		about: 'an invalid Last-Event-ID',
		statuses: [400],
	}));
}

function invalidRange(validCases: ValidCases): ValidCases {
	const ranges = fc.constantFrom('bytes=99999999-', 'bytes=99999999-100000000', 'bytes=-0');
	return fc.tuple(validCases, ranges).map(([fuzzCase, range]) => ({
		...fuzzCase,
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
