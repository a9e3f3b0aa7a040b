import fc from 'fast-check';
import type { Operation } from './document.ts';

/** Headers that have no effect on this API, or none that makes a valid request fail. */
export function harmlessHeaders(operation: Operation): fc.Arbitrary<Record<string, string>> {
	const { parameters = [] } = operation;
	const takesKeys = parameters.some(({ name }) => name.toLowerCase() === 'idempotency-key');
	const always = [
		{ accept: '*/*;q=0' },
		{ accept: 'text/html' },
		{ accept: 'application/xml;q=0.9, */*;q=0.1' },
		{ 'accept-encoding': 'gzip, br' },
		{ 'accept-language': 'xx-\u00e9' },
		{ 'x-http-method-override': 'DELETE' },
		{ 'x-forwarded-for': '203.0.113.7', 'x-forwarded-host': 'evil.example' },
		{ 'x-request-id': 'not a good id' },
		{ 'x-request-id': `fuzz-${'x'.repeat(300)}` },
		{ 'x-stainless-retry-count': 'many', 'openai-organization': 'org-1' },
		{ 'x-stainless-lang': 'js', 'user-agent': '' },
		{ cookie: 'a=b; c="d"' },
		{ origin: 'https://evil.example', referer: 'https://evil.example/?a=1' },
		{ 'if-match': '*', 'if-modified-since': 'yesterday' },
		{ traceparent: '00-zz-zz-00', upgrade: 'h2c-not' },
		{ expect: '100-continue' },
		{ expect: 'a miracle' },
		...(takesKeys ? [] : [{ 'idempotency-key': 'not a good key' }]),
	];
	// Where bytes are served, these headers have an effect: the response may be a range or have no body.
	const isBinary = '206' in operation.responses;
	const ranges = [
		{ range: 'bytes=0-9' },
		{ range: 'bytes=-5' },
		{ range: 'lines=1-2' },
		{ range: 'bytes=9-0' },
		{ 'if-none-match': '"nothing"' },
		{ 'if-none-match': '*' },
		{ 'if-range': '"nothing"', range: 'bytes=0-1' },
	];
	// Routes that declare a 412 have an entity tag that another version can miss.
	const isVersioned = '412' in operation.responses;
	const harmless = [
		...always,
		...ranges,
		...(isBinary ? [] : [{ range: 'bytes=9e9-' }]),
		...(isVersioned ? [] : [{ 'if-match': '"nothing"' }]),
	];
	const some = fc.constantFrom<Record<string, string>>(...(harmless as Record<string, string>[]));
	return fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: some });
}
