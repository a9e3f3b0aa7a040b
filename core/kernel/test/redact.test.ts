import { describe, expect, test } from 'vitest';
import { isSecretName, learnEnvironment, learnOptions, redact } from '../src/contract/errors/redact.ts';

describe('redact', () => {
	test.each([
		['a secret of webhooks', `whsec_${'aB3+'.repeat(8)}`],
		['an issued key', `plinth_live_${'aB3_-'.repeat(9)}0badcafe`],
		['a vendor key', 'sk-proj-0123456789ABCdefghij'],
		['a private key', '-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----'],
		['a private key inside JSON', '-----BEGIN PRIVATE KEY-----\\nMIIE\\n-----END PRIVATE KEY-----'],
		['a bearer token', 'Bearer 0123456789abcdefghij', 'Bearer [redacted]'],
		['basic credentials', 'Basic dXNlcjpwYXNzd29yZDEyMw==', 'Basic [redacted]'],
		['a password inside a URL', 'postgres://me:hunter2@db/x', 'postgres://me:[redacted]@db/x'],
	])('redacts %s without registration', (_sentence, text, expected = '[redacted]') => {
		expect(redact(`before ${text} after`)).toBe(`before ${expected} after`);
	});

	test('does not change sentences', () => {
		const text = 'Send it as "Authorization: Bearer <key>", see https://a.example:8080/x for basic authentication.';
		expect(redact(text)).toBe(text);
	});

	test('redacts the values of variables whose names suggest secrets, whole and in parts', () => {
		learnEnvironment({
			MY_API_KEYS: 'blue:first-canary,second-canary',
			A_TOKEN: 'with "quotes" & blanks',
			COLOUR: 'not-a-secret-at-all',
			SHORT_KEY: 'short',
			KEYWORD_MODE: 'required',
		});
		expect(redact('first-canary')).toBe('[redacted]');
		expect(redact('{"x":"second-canary"}')).toBe('{"x":"[redacted]"}');
		expect(redact(JSON.stringify('with "quotes" & blanks'))).toBe('"[redacted]"');
		expect(redact(`?t=${encodeURIComponent('with "quotes" & blanks')}`)).toBe('?t=[redacted]');
		const harmless = 'not-a-secret-at-all, short, blue, required, sk-learn-based-classifier-v2';
		expect(redact(harmless)).toBe(harmless);
	});

	test('redacts options whose names suggest secrets, at any depth', () => {
		learnOptions({ url: 'https://canary.example', auth: { clientSecret: 'deep-canary' } });
		learnOptions({ credentials: { user: 'canary-user', list: ['canary-in-a-list'] } });
		expect(redact('deep-canary canary-user canary-in-a-list')).toBe('[redacted] [redacted] [redacted]');
		expect(redact('https://canary.example')).toBe('https://canary.example');
	});

	test('accepts a secret with half of a surrogate pair', () => {
		learnOptions({ token: 'half-a-pair-\ud83d' });
		expect(redact('half-a-pair-\ud83d')).toBe('[redacted]');
	});

	test('supports thousands of keys', () => {
		const keys = Array.from({ length: 3_000 }, (_, n) => `tenant-${n}:${'k'.repeat(40)}-${n}-end`);
		learnEnvironment({ MANY_API_KEYS: keys.join(',') });
		const [first, last] = [keys[0]?.slice(9), keys[2_999]?.slice(12)];
		expect(redact(`${first} and ${last}`)).toBe('[redacted] and [redacted]');
	});

	test('leaves no end of a secret that starts like another', () => {
		learnOptions({ keys: ['twin-secret', 'twin-secret-and-more'] });
		expect(redact('twin-secret-and-more')).toBe('[redacted]');
	});

	test('leaves no end of a secret that contains another', () => {
		const long = ['inner-secret', 'begin-inner-secret-end', 'inner-secret-end', 'begin-inner-secret'];
		for (const key of long) learnOptions({ key });
		for (const secret of long) expect(redact(`<${secret}>`)).toBe('<[redacted]>');
	});

	test('leaves no end of a secret that starts like a key of a vendor or of Plinth', () => {
		const secrets = ['sk-proj-0123456789ABCdefghij/tail+of=it', `plinth_live_${'a'.repeat(20)}/tail+of=it`];
		learnOptions({ keys: secrets });
		for (const secret of secrets) expect(redact(`<${secret}>`)).toBe('<[redacted]>');
	});

	test('leaves no end of a secret when many others start alike', () => {
		const secrets = Array.from({ length: 250 }, (_, n) => `alike-${'x'.repeat(n)}`).slice(2);
		learnOptions({ keys: secrets });
		expect(secrets.filter((secret) => redact(`<${secret}>`) !== '<[redacted]>')).toEqual([]);
	});

	test('is not slowed down by hostile text', () => {
		const began = performance.now();
		for (const text of ['-----BEGIN PRIVATE KEY-----', 'Bearer ', '//a', '//a:', ' ', 'plinth_', 'sk-'])
			redact(text.repeat(100_000));
		expect(performance.now() - began).toBeLessThan(2_000);
	});
});

test('the end of a name suggests a secret', () => {
	const names = ['apiKey', 'x-api-key', 'client_secret', 'Set-Cookie', 'tokens', 'authorization'];
	expect(names.filter((name) => !isSecretName(name))).toEqual([]);
	expect(['model', 'keyframes', 'tokenizer', 'secretary'].filter(isSecretName)).toEqual([]);
});
