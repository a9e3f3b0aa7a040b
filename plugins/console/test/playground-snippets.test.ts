import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Call, Embedded, type Json } from '../client/src/views/playground/call/call.ts';
import { curlOf } from '../client/src/views/playground/snippets/curl.ts';
import { quoted } from '../client/src/views/playground/snippets/literal.ts';
import { pythonOf } from '../client/src/views/playground/snippets/python.ts';
import { typescriptOf } from '../client/src/views/playground/snippets/typescript.ts';
import type { CapabilityId } from '../client/src/views/playground/spec/capabilities.ts';

/** Texts that end what they stand in, or that a shell would run. */
const nasty = [
	"it's",
	`"; rm -rf / #`,
	'$(touch /tmp/never) `touch /tmp/never` ${HOME} $HOME',
	'\\ \\n \\" \\u0041 \\$ \\`',
	'two\nlines\r\nand\ttabs',
	'JSON\nJSON\n',
	'\'\'\'\n"""\n',
	'@/etc/passwd',
	'</etc/passwd',
	'-o /tmp/never',
	'!history ~ * ? [a] {b,c} & | ; < > ( )',
	'%s %d {0} {name} f"{x}"',
	'\u202egnirts\u2066 \u200b\ufeff\u2028\u2029',
	'😀 \ud83d alone',
	'</script><img src=x onerror=alert(1)>',
	'*/ // --',
	'',
];

const base = 'http://127.0.0.1:8080/ai';
const jsonCall = (fields: Call['fields']): Call => ({ path: '/v1/x', encoding: 'json', fields, files: [] });

/** The arguments that `curl` would get, and what is on its standard input. */
function argumentsIn(snippet: string) {
	const program = `curl() { for each in "$@"; do printf '%s\\0' "$each"; done; printf '\\1'
case " $* " in *" @- "*) cat;; esac; }
base64() { printf '%s' YmFzZTY0; cat >/dev/null; }
${snippet}`;
	const output = execFileSync('sh', ['-c', program], {
		encoding: 'utf8',
		cwd: import.meta.dirname,
		env: { PATH: process.env.PATH, PLINTH_API_KEY: 'secret' },
	});
	const [args = '', stdin = ''] = output.split('\u0001');
	return { args: args.split('\0').slice(0, -1), stdin };
}

describe('curl', () => {
	test.each(nasty)('sends %j in JSON as it is', (text) => {
		const { args } = argumentsIn(curlOf(base, jsonCall({ prompt: text, [text]: [text] })));
		const body = JSON.parse(args[args.indexOf('-d') + 1] ?? '');
		expect(body).toEqual({ prompt: text, [text]: [text] });
		expect(args.slice(0, 3)).toEqual([`${base}/v1/x`, '-H', 'authorization: Bearer secret']);
	});

	// A lone surrogate cannot be an argument.
	test.each(nasty.filter((text) => text.isWellFormed()))('sends %j in a form as it is', (text) => {
		const file = new File([''], `${text.replaceAll('/', '')}.png`);
		const { args } = argumentsIn(
			curlOf(base, {
				path: '/v1/x',
				encoding: 'form',
				fields: { prompt: text },
				files: [{ name: 'image', file, isMultiple: false }],
			}),
		);
		expect(args[args.indexOf('--form-string') + 1]).toBe(`prompt=${text}`);
		const attached = args[args.indexOf('-F') + 1] ?? '';
		// Quotes and backslashes are escaped as curl reads them, and nothing is on a second line.
		expect(attached).toMatch(/^image=@"\.\/(?:[^"\\\n]|\\["\\])*\.png"$/);
	});

	test.each(nasty)('puts files into a here-document around %j', (text) => {
		const file = new File([''], 'playground-snippets.test.ts');
		const snippet = curlOf(base, jsonCall({ text, file: new Embedded(file, 'data:text/plain;base64,') }));
		const { stdin } = argumentsIn(snippet);
		expect(JSON.parse(stdin)).toEqual({ text, file: 'data:text/plain;base64,YmFzZTY0' });
	});

	test('keeps a file name from ending the here-document', () => {
		const file = new File([''], "a\nJSON\ntouch /tmp/never\n'$(b)`.txt");
		const snippet = curlOf(base, jsonCall({ file: new Embedded(file, '') }));
		expect(snippet.match(/^JSON$/gm)).toHaveLength(1);
		expect(snippet).not.toContain('\ntouch');
	});
});

const values: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
	value: fc.oneof(
		{ depthSize: 'small' },
		fc.string({ unit: 'binary' }),
		fc.integer(),
		fc.boolean(),
		fc.constant(null),
		fc.array(tie('value'), { maxLength: 3 }),
		fc.dictionary(fc.string(), tie('value'), { maxKeys: 3 }),
	),
})).value;

describe('TypeScript', () => {
	/** What the client is called with. */
	const sentBy = (call: Call, id: CapabilityId = 'chat') => {
		const source = typescriptOf(base, id, call).replace(/^import .*$/gm, '');
		const [, literal = ''] = /= await client\.[\w.]+\(([\s\S]*)\);\n(?:console|for|while)/.exec(source) ?? [];
		return new Function(`return ${literal}`)();
	};

	test.each(nasty)('has %j as it is', (text) => {
		expect(sentBy(jsonCall({ prompt: text, [text]: text }))).toEqual({ prompt: text, [text]: text });
	});

	test('says which parameters the types of the SDK do not have', () => {
		const text = typescriptOf(
			base,
			'video',
			jsonCall({ prompt: 'x', seconds: '4', size: '640x480', callback_url: 'https://a.example/' }),
		);
		const note = '// @ts-expect-error: OpenAI does not have this.';
		expect(text).toContain(
			`  seconds: "4",\n  ${note}\n  size: "640x480",\n  ${note}\n  callback_url: "https://a.example/",\n}`,
		);
	});

	test('has any value as it is', () => {
		fc.assert(
			fc.property(values, (value) => {
				expect(sentBy(jsonCall({ a: value }))).toEqual(JSON.parse(JSON.stringify({ a: value })));
			}),
		);
	});
});

test('texts in quotes are one visible line', () => {
	for (const text of nasty) {
		expect(quoted(text)).not.toMatch(/[\p{Cc}\u2028\u2029\u202e\u2066\u200b\ufeff]/u);
		expect(JSON.parse(quoted(text))).toBe(text);
	}
});

test('Python gets parameters that its SDK does not know as extra_body', () => {
	const text = pythonOf(base, 'image', jsonCall({ prompt: 'x', seed: 7, stream: true, output_format: 'we"bp' }));
	expect(text).toContain('extra_body={\n        "seed": 7,\n    }');
	expect(text).toContain('stream=True');
	expect(text).toContain('open(f"picture-{count}.png", "wb")');
});

test('the file of a speech is named after the format, or after the default of the server', () => {
	const call = { ...jsonCall({ input: 'x' }), path: '/v1/audio/speech', defaults: { response_format: 'wav' } };
	for (const text of [curlOf(base, call), pythonOf(base, 'speech', call), typescriptOf(base, 'speech', call)]) {
		expect(text).toContain('speech.wav');
	}
});

test('no snippet has a key', () => {
	for (const id of ['video', 'image', 'edit', 'chat', 'speech', 'transcription', 'documents'] as const) {
		const call = jsonCall({ prompt: 'x' });
		for (const text of [curlOf(base, call), pythonOf(base, id, call), typescriptOf(base, id, call)]) {
			expect(text).toMatch(/\$PLINTH_API_KEY|\["PLINTH_API_KEY"\]|process\.env\.PLINTH_API_KEY/);
			expect(text).toContain(base);
		}
	}
});
