import type { Storage } from '../../ole/compound-file.ts';
import { isoTime } from '../../ole/file-time.ts';
import type { Budget } from '../budget.ts';
import { charsetOfPage, decodeAs, decodeText } from '../charset.ts';

/** Whose properties they are: of the file's message, of one within it, or of an attachment or recipient. */
export type Owner = 'message' | 'inner' | 'part';

/** The properties of a folder of an Outlook message: short ones in one list, long ones in streams that are named for them. */
export class Properties {
	readonly #storage: Storage;
	readonly #budget: Budget;
	readonly #short = new Map<number, Buffer>();

	constructor(storage: Storage, owner: Owner, budget: Budget) {
		this.#storage = storage;
		this.#budget = budget;
		const list = this.#read('__properties_version1.0') ?? Buffer.alloc(0);
		for (let at = headBytes[owner]; at + 16 <= list.length; at += 16) {
			this.#short.set(list.readUInt16LE(at + 2), list.subarray(at + 8, at + 16));
		}
	}

	/** Undefined when it is missing or empty. */
	text(tag: number): string | undefined {
		const name = streamOf(tag);
		const wide = this.#read(`${name}001F`);
		if (wide) return cleaned(wide.toString('utf16le'));
		const narrow = this.#read(`${name}001E`);
		if (!narrow) return undefined;
		const charset = this.#charsetBy(messageCodePage, internetCodePage);
		const known = charset === undefined ? undefined : decodeAs(narrow, charset);
		return cleaned(known ?? decodeText(narrow).text);
	}

	bytes(tag: number): Buffer | undefined {
		return this.#read(`${streamOf(tag)}0102`);
	}

	number(tag: number): number | undefined {
		return this.#short.get(tag)?.readUInt32LE(0);
	}

	/** ISO 8601. */
	time(tag: number): string | undefined {
		return isoTime(this.#short.get(tag)?.readBigUInt64LE(0) ?? 0n);
	}

	/** The charset of its HTML, if the message tells it. That of texts is told apart from it. */
	get charsetOfHtml(): string | undefined {
		return this.#charsetBy(internetCodePage, messageCodePage);
	}

	#charsetBy(first: number, second: number): string | undefined {
		const page = this.number(first) ?? this.number(second);
		return page ? charsetOfPage(page) : undefined;
	}

	/** A file may let many names point to the same bytes, so they are counted. */
	#read(name: string): Buffer | undefined {
		const bytes = this.#storage.read(name);
		if (bytes) this.#budget.inflate(bytes.length);
		return bytes;
	}
}

const headBytes = { message: 32, inner: 24, part: 8 };
const internetCodePage = 0x3fde;
const messageCodePage = 0x3ffd;

function streamOf(tag: number): string {
	return `__substg1.0_${tag.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Without the zeros that end it. No expression: it would go over long runs of zeros again and again. */
function cleaned(text: string): string | undefined {
	let end = text.length;
	while (text.charCodeAt(end - 1) === 0) end--;
	return text.slice(0, end) || undefined;
}
