import { isUtf8 } from 'node:buffer';
import PostalMime, { type Address, decodeWords, type Email } from 'postal-mime';
import { documentError } from '../../refusal.ts';
import { decodeText } from '../charset.ts';
import type { FormatReader, ReadContext } from '../format.ts';
import { readHtml } from '../html/read.ts';
import { isAsked } from '../pages.ts';
import { type Attachment, type Message, messageContent, messageText } from './message.ts';

/** Reads mails (RFC 5322): head, body, attachments. A file of several mails (mbox) has a page for each. */
export const readEml: FormatReader = async (bytes, context) => {
	const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const mails = mailsOf(file);
	const mediaType = 'message/rfc822';
	if (mails.length === 1) {
		return await messageContent(await parsed(mails[0] ?? file, context), mediaType, context);
	}
	const pages = [];
	for (const [at, mail] of mails.entries()) {
		if (!isAsked(at + 1, context.options)) continue;
		const text = await messageText(await parsed(mail, context), context);
		pages.push({ page: at + 1, text });
		context.progress(at + 1, mails.length);
	}
	return { mediaType, pages, pageCount: mails.length };
};

/** More mails than any reader wants at once; the last one then holds the rest. */
const maxMails = 20_000;

/** Each mail of an mbox file begins with a line of its own, whose year ends it. */
function mailsOf(file: Buffer): Buffer[] {
	const start = /^(?:\xef\xbb\xbf)?\s*/.exec(file.toString('latin1', 0, 1_000))?.[0].length ?? 0;
	const mails: Buffer[] = [];
	let begin = start;
	if (!isSeparator(file, start)) return [file.subarray(start)];
	for (let at = start; at !== -1 && mails.length < maxMails; ) {
		const end = file.indexOf('\nFrom ', at);
		at = end === -1 ? -1 : end + 1;
		if (at !== -1 && !isSeparator(file, at)) continue;
		mails.push(file.subarray(file.indexOf('\n', begin) + 1, end === -1 ? file.length : end));
		begin = at;
	}
	return mails;
}

function isSeparator(file: Buffer, at: number): boolean {
	return /^From \S[^\n]*\b\d{4}(?: [+-]\d{4})?\r?\n/.test(file.toString('latin1', at, at + 200));
}

async function parsed(mail: Buffer, context: ReadContext): Promise<Message> {
	const email = await parse(mail);
	const raw = (name: string) => email.headers.find(({ key }) => key === name)?.value;
	return {
		heads: [
			['From', addresses(email.from && [email.from])],
			['To', addresses(email.to)],
			['Cc', addresses(email.cc)],
			['Bcc', addresses(email.bcc)],
			['Date', raw('date')],
			['Subject', decodeWords(email.subject ?? '')],
		],
		body: await bodyOf(email, context),
		attachments: attachmentsOf(email),
		sent: timeOf(email.date),
	};
}

/** The parser takes some kilobytes for each line that is not base64: 100,000 lines are 7 MB of text. */
const maxLines = 100_000;
/** The parser takes no longer head, in bytes. */
const maxHead = 2_097_152;

async function parse(mail: Buffer): Promise<Email> {
	if (hasMoreLines(mail, maxLines)) {
		throw documentError('E_DOCUMENT_TOO_LARGE', {
			message: `The mail has more than ${maxLines} lines of text.`,
		});
	}
	try {
		return await PostalMime.parse(withUtf8Head(mail), { forceRfc822Attachments: true });
	} catch (cause) {
		throw documentError('E_DOCUMENT_UNREADABLE', {
			message: 'The mail has too many parts within each other, or too long a head.',
			cause,
		});
	}
}

/** Some programs write a head in their own charset, unencoded; the parser expects UTF-8. */
function withUtf8Head(mail: Buffer): Buffer {
	const end = /\r?\n\r?\n/.exec(mail.toString('latin1', 0, maxHead))?.index ?? mail.length;
	const head = mail.subarray(0, end);
	return isUtf8(head) ? mail : Buffer.concat([Buffer.from(decodeText(head).text), mail.subarray(end)]);
}

/** Lines of base64 are not counted: they are long and hold no blank. */
function hasMoreLines(mail: Buffer, most: number): boolean {
	let lines = 0;
	for (let at = 0; at !== -1 && lines <= most; ) {
		const end = mail.indexOf(10, at);
		const isShort = end - at < 60 || mail.subarray(at, end).includes(32);
		if (isShort) lines++;
		at = end === -1 ? -1 : end + 1;
	}
	return lines > most;
}

/** Its text, unless that only asks to look at the page beside it. */
async function bodyOf({ text = '', html }: Email, context: ReadContext): Promise<string> {
	if (!html || text.trim().length > longestRequest) return text;
	const page = await htmlText(html, context);
	return page.length > 3 * text.trim().length ? page : text;
}

/** As in "This message is best viewed in a program that shows HTML", with an address. */
const longestRequest = 300;

/** The text of a page of HTML that is in a mail. The mark in front tells its charset, whatever it says of itself. */
export async function htmlText(html: string, context: ReadContext): Promise<string> {
	const { text } = await readHtml(Buffer.from(`\uFEFF${html}`), context);
	return text ?? '';
}

/** Pictures that stand in the text, styles of its page and signatures are part of it, not files that somebody attached. */
function attachmentsOf(email: Email): Attachment[] {
	return email.attachments
		.filter(({ mimeType, filename, related, contentId, disposition }) => {
			const isInline = disposition !== 'attachment' && (contentId !== undefined || !filename);
			const isShown = related === true || isInline;
			return !signature.test(mimeType) && !(isShown && partOfPage.test(mimeType));
		})
		.map(({ filename, content }) => ({
			name: filename ?? undefined,
			content: typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content),
		}));
}

const partOfPage = /^(?:image|font)\/|^text\/(?:css|javascript)$/;
const signature = /^application\/(?:x-)?(?:pkcs7|pgp)-signature$/;

function addresses(list: readonly Address[] | undefined): string | undefined {
	return list
		?.map(({ name, address, group }) => {
			if (group) return `${name}: ${addresses(group) ?? ''};`;
			return name && address ? `${name} <${address}>` : name || address;
		})
		.filter(Boolean)
		.join(', ');
}

function timeOf(date: string | undefined): string | undefined {
	const time = new Date(date ?? '');
	return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
