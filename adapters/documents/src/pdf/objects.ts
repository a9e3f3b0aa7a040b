import { inflateSync } from 'node:zlib';
import { decryptionOf } from './decryption.ts';
import { stringOf } from './strings.ts';

/** The objects of a PDF, found by looking for them: no cross-reference table is needed. */
export interface PdfObjects {
	/** Numbers of all objects, in the order of the file. */
	readonly numbers: readonly number[];
	/** Where an object stands by itself; undefined for those inside object streams. */
	placeOf(number: number): { readonly offset: number; readonly generation: number } | undefined;
	/** An object's text up to its stream, as Latin-1. */
	text(number: number): string | undefined;
	/** An object's stream, decrypted and inflated. Undefined when it has none, is compressed otherwise, or has grown beyond the bounds. */
	stream(number: number): string | undefined;
	/** The string of a key of an object's dictionary, decrypted. */
	string(number: number, key: string): Buffer | undefined;
	/** Streams and strings are encrypted in a way that is not undone here. */
	readonly isEncrypted: boolean;
	/** The last text that names the root: a trailer, or the dictionary of a cross-reference stream. */
	readonly trailer: string;
}

const maxBytes = 64 * 1_048_576;
const maxText = 65_536;
const maxStream = 8 * 1_048_576;
const maxInflated = 64 * 1_048_576;
const heads = /(?<!\d)(\d{1,9})[ \t\r\n]+(\d{1,5})[ \t\r\n]+obj(?![a-z])/g;

interface Place {
	readonly offset: number;
	readonly generation: number;
	readonly body: number;
	/** Where the next object begins: without it, a file of nothing but beginnings would be read once for each. */
	readonly end: number;
}

/** Looks for objects. A file of more than 64 MiB is said to have none. */
export function findObjects(bytes: Buffer): PdfObjects {
	const file = bytes.length > maxBytes ? '' : bytes.toString('latin1');
	const places = placesIn(file);
	const packed = new Map<number, string>();
	let left = maxInflated;

	const textAt = ({ body, end }: Place): string => {
		const whole = file.slice(body, end);
		const stop = /stream\r?\n|endobj/.exec(whole);
		return stop ? whole.slice(0, stop.index) : whole.slice(0, maxText);
	};
	const lengthOf = (dictionary: string): number | undefined => {
		const [, length, isReference] = /\/Length\s+(\d+)(\s+\d+\s+R)?/.exec(dictionary) ?? [];
		if (!isReference) return length === undefined ? undefined : Number(length);
		const place = places.get(Number(length));
		return place && Number(/\d+/.exec(textAt(place))?.[0]);
	};
	const trailer = trailerOf(file, [...places.values()].map(textAt));
	const hasLock = trailer.includes('/Encrypt');
	const lock = places.get(referenceOf(trailer, 'Encrypt') ?? -1);
	const dictionary = lock ? textAt(lock) : trailer.slice(trailer.indexOf('/Encrypt'));
	const decrypt = hasLock ? decryptionOf(dictionary, trailer) : undefined;
	const isEncrypted = hasLock && !decrypt;

	const streamAt = (number: number, place: Place): string | undefined => {
		const dictionary = textAt(place);
		const start = place.body + dictionary.length;
		const [keyword] = /^stream\r?\n/.exec(file.slice(start, start + 10)) ?? [];
		if (!keyword || left <= 0) return undefined;
		const from = start + keyword.length;
		const length = lengthOf(dictionary);
		const to = length === undefined ? file.indexOf('endstream', from) : from + length;
		const data = bytes.subarray(from, Math.max(from, to));
		if (decrypt) left -= data.length;
		const text = decoded(decrypt?.(data, number, place.generation) ?? data, dictionary);
		left -= text?.length ?? 0;
		return text;
	};

	for (const [container, place] of places) {
		const dictionary = textAt(place);
		if (!/\/Type\s*\/ObjStm/.test(dictionary)) continue;
		for (const [number, text] of unpack(dictionary, streamAt(container, place) ?? ''))
			if (!places.has(number)) packed.set(number, text);
	}
	return {
		numbers: [...places.keys(), ...packed.keys()],
		placeOf: (number) => places.get(number),
		text(number) {
			const place = places.get(number);
			return place ? textAt(place) : packed.get(number);
		},
		stream(number) {
			const place = places.get(number);
			return place && streamAt(number, place);
		},
		string(number, key) {
			const place = places.get(number);
			// What is in an object stream was encrypted with it.
			if (!place) return stringOf(packed.get(number) ?? '', key);
			const bytes = isEncrypted ? undefined : stringOf(textAt(place), key);
			return bytes && (decrypt?.(bytes, number, place.generation) ?? bytes);
		},
		trailer,
		isEncrypted,
	};
}

function placesIn(file: string): Map<number, Place> {
	const places = new Map<number, Place>();
	let before: { number: number; place: Place } | undefined;
	for (const { 0: head, 1: number, 2: generation, index } of file.matchAll(heads)) {
		if (before) places.set(before.number, { ...before.place, end: index });
		const body = index + head.length;
		const place = { offset: index, generation: Number(generation), body, end: file.length };
		before = { number: Number(number), place };
	}
	if (before) places.set(before.number, before.place);
	return places;
}

function decoded(data: Buffer, dictionary: string): string | undefined {
	const [, filter] = /\/Filter\s*\[?\s*\/(\w+)\s*\]?(?!\s*\/\w+Decode)/.exec(dictionary) ?? [];
	if (filter === undefined && !dictionary.includes('/Filter')) return data.toString('latin1');
	if (filter !== 'FlateDecode' && filter !== 'Fl') return undefined;
	try {
		return inflateSync(data, { maxOutputLength: maxStream }).toString('latin1');
	} catch {
		// Damaged, encrypted or too large: all the same for somebody who only looks.
		return undefined;
	}
}

/** The objects of an object stream (ISO 32000-1, 7.5.7). */
function unpack(dictionary: string, content: string): [number, string][] {
	const first = Number(/\/First\s+(\d+)/.exec(dictionary)?.[1] ?? 0);
	const index = content.slice(0, first).trim().split(/\s+/).map(Number);
	const found: [number, string][] = [];
	for (let at = 0; at + 1 < index.length; at += 2) {
		const next = index[at + 3];
		const [number = 0, from = 0] = [index[at], index[at + 1]];
		found.push([number, content.slice(first + from, next === undefined ? undefined : first + next)]);
	}
	return found;
}

function trailerOf(file: string, dictionaries: readonly string[]): string {
	const trailers = [...file.matchAll(/trailer\s*(<<[\s\S]{0,4000}?)(?:startxref|$)/g)].map(([, text = '']) => text);
	const streams = dictionaries.filter((text) => /\/Type\s*\/XRef/.test(text));
	return [...trailers, ...streams].filter((text) => text.includes('/Root')).at(-1) ?? '';
}

/** Numbers of the objects that are pages, in the order of the file. */
export function pagesOf(objects: PdfObjects): number[] {
	return objects.numbers.filter((number) => /\/Type\s*\/Page(?!\w)/.test(objects.text(number) ?? ''));
}

/** The number that a key of a dictionary refers to: `/Root 5 0 R` is 5. */
export function referenceOf(dictionary: string, key: string): number | undefined {
	const [, number] = new RegExp(`/${key}\\s+(\\d+)\\s+\\d+\\s+R`).exec(dictionary) ?? [];
	return number === undefined ? undefined : Number(number);
}
