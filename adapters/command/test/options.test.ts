import { describe, expect, test } from 'vitest';
import { command } from '../src/index.ts';
import { fillTemplate, placeholdersIn, requiredIn } from '../src/protocol/argv.ts';
import { findProgram } from '../src/run/path.ts';

/** The problems that are reported about the options when a server starts. */
function faults(kind: keyof typeof command, options: object): string[] {
	const { error } = command[kind].definition.config.safeParse(options);
	return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

const plain = (argv: readonly unknown[], more = {}) => ({ protocol: 'plain', argv, ...more });

describe('the arguments of a plain program', () => {
	test('are filled without a change of their number', () => {
		const values = { width: 640, height: 480, input: 'a b" -y.txt' };
		expect(fillTemplate(['p', '-s', '{width}x{height}', '{input}'], values)).toEqual([
			'p',
			'-s',
			'640x480',
			'a b" -y.txt',
		]);
	});

	test('are filled once: placeholders inside values stay text', () => {
		expect(fillTemplate(['{input}', '{input}$&'], { input: '{width}$1', width: 1 })).toEqual([
			'{width}$1',
			'{width}$1$&',
		]);
	});

	test('omit a group whose value is missing, and only that', () => {
		const template = ['p', ['-i', '{image}'], '{seed}'];
		expect(fillTemplate(template, { seed: 7 })).toEqual(['p', '7']);
		expect(fillTemplate(template, { seed: 0, image: 'a.png' })).toEqual(['p', '-i', 'a.png', '0']);
	});

	test('keep braces that are no placeholders', () => {
		const template = ['{{width}}', '{"a":{"b":1}}', '{}', 'a{width'];
		expect(fillTemplate(template, {})).toEqual(['{width}', '{"a":{"b":1}}', '{}', 'a{width']);
		expect([...placeholdersIn(template)]).toEqual([]);
	});

	test('require the values of placeholders outside of groups', () => {
		expect([...requiredIn(['{a}', ['{b}'], 'x{c}{{d}}'])]).toEqual(['a', 'c']);
	});
});

describe('a server does not start with', () => {
	test.each([
		['an unknown placeholder', 'video', plain(['p', '{prompt}']), /^argv: There is no placeholder \{prompt\}/],
		['a name of Object.prototype', 'video', plain(['p', '{constructor}']), /no placeholder/],
		['a program chosen by the client', 'image', plain(['{format}']), /^argv: The first argument/],
		['a group in the place of the program', 'image', plain([['p']]), /^argv: The first argument/],
		['no program', 'image', plain([]), /^argv/],
		['an optional value outside of a group', 'image', plain(['p', '{steps}']), /^argv: \{steps\} may have no value/],
		['any voice that a client sends', 'speech', plain(['p', '{voice}']), /^argv: \{voice\} needs voices/],
		[
			'an invalid pattern',
			'video',
			plain(['p'], { progress: { pattern: '(' } }),
			/^progress\.pattern: Invalid regular/,
		],
		[
			'an unknown placeholder in a total',
			'video',
			plain(['p'], { progress: { pattern: '(.)', total: '{n}' } }),
			/^progress\.total/,
		],
		[
			'a total that is optional',
			'video',
			plain(['p'], { progress: { pattern: '(.)', total: '{reference}' } }),
			/^progress\.total: There is no placeholder/,
		],
		['progress for a kind without progress', 'image', plain(['p'], { progress: { pattern: '(.)' } }), /progress/],
		['a NUL in an argument', 'video', plain(['p', 'a\0']), /^argv\.1/],
		['a strange variable', 'chat', plain(['p'], { env: { 'A=B': 'c' } }), /^env/],
		['a third protocol', 'chat', { protocol: 'xml', argv: ['p'] }, /^protocol/],
		['an option of the other protocol', 'chat', plain(['p'], { tools: true }), /tools/],
		['no time', 'chat', plain(['p'], { timeoutSeconds: 0 }), /^timeoutSeconds/],
		['a queue for videos, which are jobs', 'video', plain(['p'], { waiting: 1 }), /waiting/],
	] as const)('%s', (_, kind, options, message) => {
		expect(faults(kind, options)).toEqual([expect.stringMatching(message)]);
	});

	test('a program that does not exist, by name or by path', () => {
		expect(() => findProgram('no-such-program', '/bin:/usr/bin')).toThrow(
			'There is no program no-such-program on the PATH /bin:/usr/bin.',
		);
		expect(() => findProgram('/bin/no-such-program')).toThrow('at /bin/no-such-program');
		expect(() => findProgram('/etc/passwd')).toThrow('There is no program');
		expect(() => findProgram('/bin')).toThrow('There is no program');
		expect(findProgram('sh', '/nowhere:/bin')).toBe('/bin/sh');
	});
});

describe('a server starts with', () => {
	test.each([
		['video', plain(['p', '{input}', ['{reference}'], '{output}'])],
		['image', plain(['p', ['--steps', '{steps}']])],
		['speech', plain(['p', '{voice}'], { voices: { alloy: 'en' } })],
		['chat', { protocol: 'json', argv: ['p', '{anything}'] }],
	] as const)('%s', (kind, options) => {
		expect(faults(kind, options)).toEqual([]);
	});
});
