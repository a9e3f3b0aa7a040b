import { Embedded, type Json } from '../call/call.ts';
import type { Facts } from '../spec/facts.ts';

/** The text and the files of a user's message. */
export interface Question {
	readonly text: string;
	readonly files: readonly File[];
}

/** A question and its answer; `answer` is empty if there was none. */
export interface Exchanged extends Question {
	readonly answer: string;
}

/** The messages of the API for a conversation and a new question. Questions without an answer are left out. */
export function messagesOf(before: readonly Exchanged[], next: Question, facts: Facts): readonly Json[] {
	const past = before
		.filter(({ answer }) => answer !== '')
		.flatMap((each) => [userMessage(each, facts), { role: 'assistant', content: each.answer }]);
	return [...past, userMessage(next, facts)];
}

function userMessage({ text, files }: Question, facts: Facts): Json {
	if (files.length === 0) return { role: 'user', content: text };
	const textParts = text === '' ? [] : [{ type: 'text', text }];
	return { role: 'user', content: [...textParts, ...files.map((file) => partOf(file, facts))] };
}

const soundFormats: Readonly<Record<string, string>> = {
	'audio/wav': 'wav',
	'audio/x-wav': 'wav',
	'audio/mpeg': 'mp3',
};

/** The part for a file: audio, or a picture if the model accepts pictures. The server converts other files to text. */
function partOf(file: File, facts: Facts): Json {
	const type = /^[\w.+-]+\/[\w.+-]+$/.test(file.type) ? file.type : 'application/octet-stream';
	const url = new Embedded(file, `data:${type};base64,`);
	const format = soundFormats[type];
	if (format) return { type: 'input_audio', input_audio: { data: new Embedded(file, ''), format } };
	if (type.startsWith('image/') && facts.images === true) return { type: 'image_url', image_url: { url } };
	return { type: 'file', file: { filename: file.name, file_data: url } };
}

/** A JSON value in which each file is replaced by its base64. */
export async function embedded(value: Json, base64Of: (file: File) => Promise<string>): Promise<unknown> {
	if (value instanceof Embedded) return value.prefix + (await base64Of(value.file));
	if (typeof value !== 'object' || value === null) return value;
	if (Array.isArray(value)) return Promise.all(value.map((each: Json) => embedded(each, base64Of)));
	const pairs = Object.entries(value).map(async ([name, each]) => [name, await embedded(each, base64Of)] as const);
	return Object.fromEntries(await Promise.all(pairs));
}
