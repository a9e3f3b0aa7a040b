import { type Call, Embedded, type Json, textOf } from '../call/call.ts';
import { type Dialect, extensionOf, literal, nameOf, quoted } from './literal.ts';

/** The URL of the server in snippets: `http://127.0.0.1:8080`, below any mount prefix, without a trailing slash. */
export type Base = string;

const json: Dialect = {
	words: { true: 'true', false: 'false', null: 'null' },
	text: quoted,
	name: quoted,
	// Only for a here-document, in which the shell inserts the base64.
	file: ({ file, prefix }) =>
		`${hereText(quoted(prefix).slice(0, -1))}$(base64 < ${shellWord(`./${nameOf(file)}`)} | tr -d '\\n')"`,
	indent: '  ',
	hasLastComma: false,
};

/** JSON with all texts escaped for a here-document. */
const hereJson: Dialect = { ...json, text: (text) => hereText(quoted(text)), name: (name) => hereText(quoted(name)) };

/** A call for a POSIX shell. The key is in the variable `PLINTH_API_KEY`. */
export function curlOf(base: Base, call: Call): string {
	const head = [`curl ${flagsOf(call)}${shellWord(base + call.path)}`, '-H "authorization: Bearer $PLINTH_API_KEY"'];
	const lines = call.encoding === 'form' ? [...head, ...formLines(call)] : [...head, ...jsonLines(call)];
	return lines.join(' \\\n  ');
}

function flagsOf(call: Call): string {
	if (call.path.endsWith('/speech')) return `-o ${shellWord(`speech.${extensionOf(call, 'response_format', 'mp3')}`)} `;
	return call.fields.stream === true ? '-N ' : '';
}

function jsonLines({ fields }: Call): readonly string[] {
	const type = "-H 'content-type: application/json'";
	if (!hasFiles(fields)) return [type, `-d ${shellWord(literal(fields, json))}`];
	// A here-document, because an argument has at most 128 KiB. No line of the JSON can be the delimiter `JSON`.
	return [type, `--data-binary @- <<JSON\n${literal(fields, hereJson)}\nJSON`];
}

/** Texts use `--form-string`, which does not interpret a leading `@` or `<`. */
function formLines({ fields, files }: Call): readonly string[] {
	const texts = Object.entries(fields).flatMap(([name, value]) =>
		Array.isArray(value)
			? value.map((each) => `--form-string ${shellWord(`${name}[]=${textOf(each)}`)}`)
			: [`--form-string ${shellWord(`${name}=${textOf(value)}`)}`],
	);
	const attached = files.map(({ name, file, isMultiple }) => {
		const path = `./${nameOf(file)}`.replace(/[\\"]/g, '\\$&');
		return `-F ${shellWord(`${name}${isMultiple ? '[]' : ''}=@"${path}"`)}`;
	});
	return [...attached, ...texts];
}

function hasFiles(value: Json): boolean {
	if (value instanceof Embedded) return true;
	return typeof value === 'object' && value !== null && Object.values(value).some(hasFiles);
}

/** A text as one word of a POSIX shell. */
export function shellWord(text: string): string {
	return /^[\w./:=@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A text inside a here-document, where the shell replaces variables and commands. */
function hereText(text: string): string {
	return text.replace(/[\\$`]/g, '\\$&');
}
