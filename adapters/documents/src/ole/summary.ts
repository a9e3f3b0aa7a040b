import type { DocumentMetadata } from '@plinth/toolkit';
import { charsetOfPage, decodeAs } from '../formats/charset.ts';
import type { Storage } from './compound-file.ts';
import { isoTime } from './file-time.ts';

/** What an old Office document says of itself ([MS-OLEPS]). Nothing when the properties are missing or broken: they are no part of the text. */
export function summaryOf(storage: Storage): DocumentMetadata {
	try {
		const stream = storage.read('\x05SummaryInformation');
		return stream ? metadataOf(propertiesOf(stream)) : {};
	} catch {
		return {};
	}
}

const codePage = 1;
const title = 2;
const author = 4;
const created = 12;
/** More properties than any program writes. */
const maxProperties = 200;

function propertiesOf(stream: Buffer): ReadonlyMap<number, Buffer> {
	const set = stream.subarray(stream.readUInt32LE(44));
	const count = Math.min(set.readUInt32LE(4), maxProperties);
	const properties = new Map<number, Buffer>();
	for (let at = 0; at < count; at++) {
		const value = set.subarray(set.readUInt32LE(12 + at * 8));
		if (value.length >= 8) properties.set(set.readUInt32LE(8 + at * 8), value);
	}
	return properties;
}

function metadataOf(properties: ReadonlyMap<number, Buffer>): DocumentMetadata {
	const page = properties.get(codePage)?.readUInt16LE(4) ?? 1252;
	const texts = {
		title: textOf(properties.get(title), page),
		author: textOf(properties.get(author), page),
	};
	const time = timeOf(properties.get(created));
	return {
		...(texts.title && { title: texts.title }),
		...(texts.author && { author: texts.author }),
		...(time && { created: time }),
	};
}

function textOf(value: Buffer | undefined, page: number): string | undefined {
	const type = value?.readUInt16LE(0);
	if (!value || (type !== 0x1e && type !== 0x1f)) return undefined;
	const length = value.readUInt32LE(4) * (type === 0x1f ? 2 : 1);
	const charset = charsetOfPage(type === 0x1f ? 1200 : page);
	return decodeAs(value.subarray(8, 8 + Math.min(length, 2_000)), charset)
		?.split('\0')[0]
		?.trim();
}

function timeOf(value: Buffer | undefined): string | undefined {
	if (value?.readUInt16LE(0) !== 0x40 || value.length < 12) return undefined;
	return isoTime(value.readBigUInt64LE(4));
}
