import { isUtf8 } from 'node:buffer';
import { decompressRTF } from '@kenjiuno/decompressrtf';
import msgreader from '@kenjiuno/msgreader';
import iconv from 'iconv-lite';
import PostalMime, { type Address, decodeWords } from 'postal-mime';
import { documentError } from '../refusal.ts';
import { tooLarge } from './budget.ts';
import { asBuffer, charsetOfPage, decodeAs, decodeText } from './charset.ts';
import { rewritten } from './compound.ts';
import { type FormatReader, metadataOf, type ReadContext } from './format.ts';
import { innerText, innerTitle } from './inner.ts';
import { isRequested, refuseBeyond } from './pages.ts';

type Message = Awaited<ReturnType<typeof parsedMail>>;

/** Reads mails (RFC 5322): head, body, attachments. A file of several mails (mbox) has a page for each. */
export const readEml: FormatReader = async (bytes, context) => {
	const mediaType = 'message/rfc822';
	const mails = mailsOf(bytes);
	refuseBeyond(mails.length);
	const pages = [];
	for (const [at, mail] of mails.entries()) {
		if (mails.length > 1 && !isRequested(at + 1, context.options)) continue;
		const content = await contentOf(await parsedMail(mail), mediaType, context);
		if (mails.length === 1) return content;
		pages.push({ page: at + 1, text: content.text });
		context.progress(at + 1, mails.length);
	}
	return { mediaType, pages, pageCount: mails.length };
};

/** Reads Outlook messages. */
export const readMsg: FormatReader = async (bytes, context) =>
	await contentOf(parsedMsg(bytes), 'application/vnd.ms-outlook', context);

/** Head, body, then each attachment below its name. Attachments of a mail inside another file are not opened. */
async function contentOf(message: Message, mediaType: string, context: ReadContext) {
	const { heads, attachments, sent } = message;
	const [before, after] = context.options.format === 'markdown' ? ['**', ':**'] : ['', ':'];
	const shown = Object.entries(heads).filter(([, value]) => value);
	const lines = shown.map(([name, value]) => `${before}${name}${after} ${value}`);
	const parts = [lines.join('\n'), (await bodyOf(message, context)).trim()];
	for (const { name, type, isInline, content } of attachments) {
		if (signature.test(type) || (isInline && partOfPage.test(type))) continue;
		const text = context.depth > 0 ? '' : (await innerText(context, async () => content())).text;
		parts.push(`${innerTitle(name, 'attachment: ')}\n${text}`.trim());
	}
	const metadata = metadataOf(heads.Subject, heads.From, sent);
	return { mediaType, text: parts.filter(Boolean).join('\n\n'), metadata };
}

const signature = /^application\/(?:x-)?(?:pkcs7|pgp)-signature$/;
const partOfPage = /^(?:image|font)\/|^text\/(?:css|javascript)$/;

async function bodyOf({ text, page }: Message, context: ReadContext): Promise<string> {
	const { length } = text.trim();
	// A short text may only refer to the HTML part.
	if (page === undefined || length > 300) return text;
	const shown = (await innerText(context, async () => page)).text;
	return shown.length > 3 * length ? shown : text;
}

/** HTML as a file. Its byte order mark overrides the page's charset. */
function pageOf(html: string | undefined): Buffer | undefined {
	return html?.trim() ? Buffer.from(`\uFEFF<!doctype html>${html}`) : undefined;
}

/** The first line of each mail in an mbox file, which ends with a year. */
const separator = /^From \S[^\n]*\b\d{4}(?: [+-]\d{4})?\r?\n/m;
/** The parser needs kilobytes for each line of text. Lines of base64 are long and have no blank: they do not count. */
const maxLines = 100_000;
const textLine = /\n(?!\S{60,}\r?\n)/;

/** The mails of a file, a character for each byte. */
function mailsOf(bytes: Uint8Array): string[] {
	const isWide = decodeText(bytes.subarray(0, 4_096)).charset.startsWith('utf-16');
	const asUtf8 = () => Buffer.from(decodeText(bytes).text.replace(/charset="?utf-16(?:[bl]e)?"?/gi, 'charset=utf-8'));
	const text = (isWide ? asUtf8() : asBuffer(bytes)).toString('latin1').replace(/^(?:\xef\xbb\xbf)?\s*/, '');
	return text.search(separator) === 0 ? text.split(separator).slice(1) : [text];
}

async function parsedMail(mail: string) {
	const isLong = mail.split(textLine, maxLines + 2).length > maxLines + 1;
	if (isLong) throw tooLarge(`The mail has more than ${maxLines} lines of text.`);
	const email = await PostalMime.parse(withUtf8Head(mail), { forceRfc822Attachments: true }).catch((cause) => {
		const message = 'The mail has too deeply nested parts, or a header that is too long.';
		throw documentError('E_DOCUMENT_UNREADABLE', { message, cause });
	});
	const { to, cc, bcc } = email;
	return {
		heads: {
			From: addresses(email.from && [email.from]),
			To: addresses(to),
			Cc: addresses(cc),
			Bcc: addresses(bcc),
			Date: email.headers.find(({ key }) => key === 'date')?.value,
			Subject: email.subject && decodeWords(email.subject),
		},
		text: email.text ?? '',
		page: pageOf(email.html),
		attachments: email.attachments.map(({ filename, mimeType, content, contentId, disposition, related }) => ({
			name: filename ?? undefined,
			type: mimeType,
			isInline: related === true || (disposition !== 'attachment' && (contentId !== undefined || !filename)),
			content: () => (typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content)) as Uint8Array,
		})),
		sent: email.date,
	};
}

/** Some programs write the headers unencoded, in the charset of the body. The parser expects UTF-8. */
function withUtf8Head(mail: string): Buffer {
	const end = /\r?\n\r?\n/.exec(mail)?.index ?? mail.length;
	const head = Buffer.from(mail.slice(0, end), 'latin1');
	const label = /charset="?(?!utf-?8)([\w-]+)/i.exec(mail.slice(0, end))?.[1] ?? '';
	const utf8 = isUtf8(head) ? head : Buffer.from(decodeAs(head, label) ?? decodeText(head).text);
	return Buffer.concat([utf8, Buffer.from(mail.slice(end), 'latin1')]);
}

function addresses(list: readonly Address[] = []): string | undefined {
	const shown = list.map(({ name, address, group }) =>
		group ? `${name}: ${addresses(group)};` : named(name, address),
	);
	return shown.filter(Boolean).join(', ');
}

/** Leaves out internal addresses, which start with `/O=`. */
function named(name: string | undefined, address: string | undefined): string | undefined {
	const shown = address?.startsWith('/') ? undefined : address;
	return name && shown && name !== shown ? `${name} <${shown}>` : name || shown;
}

function parsedMsg(bytes: Uint8Array): Message {
	const { buffer, byteOffset, byteLength } = rewritten(bytes);
	const file = new DataView(buffer, byteOffset, byteLength);
	let reader = new msgreader.default(file);
	const { messageCodepage, internetCodepage } = reader.getFileData();
	const charset = charsetOfPage(messageCodepage ?? internetCodepage ?? 1252);
	reader = new msgreader.default(file);
	reader.parserConfig = { ansiEncoding: iconv.encodingExists(charset) ? charset : 'windows-1252' };
	const { recipients = [], attachments = [], html, compressedRtf, ...fields } = reader.getFileData();
	const to = (kind: string) => {
		const chosen = recipients.filter(({ recipType = '' }) => (/^b?cc$/.test(recipType) ? recipType : 'to') === kind);
		return chosen.map(({ name, smtpAddress, email }) => named(name, smtpAddress ?? email)).join(', ');
	};
	const sent = fields.clientSubmitTime ?? fields.messageDeliveryTime;
	const page = html && (decodeAs(html, charsetOfPage(internetCodepage ?? 0)) ?? decodeText(html).text);
	return {
		heads: {
			From: named(fields.senderName, fields.senderSmtpAddress ?? fields.senderEmail),
			To: to('to'),
			Cc: to('cc'),
			Bcc: to('bcc'),
			Date: sent,
			Subject: fields.subject,
		},
		text: fields.body ?? '',
		page: pageOf(page ?? fields.bodyHtml) ?? rtfOf(compressedRtf),
		attachments: attachments.map((item) => ({
			name: item.fileName ?? item.fileNameShort ?? item.name,
			type: item.attachMimeTag ?? '',
			isInline: item.attachmentHidden === true || item.pidContentId !== undefined,
			content: () => ((item.dataId ?? item.folderId) ? reader.getAttachment(item).content : new Uint8Array()),
		})),
		sent,
	};
}

/** The RTF of a message. Truncated RTF would make the library produce endless text. */
function rtfOf(packed: Uint8Array = new Uint8Array()): Buffer | undefined {
	const file = asBuffer(packed);
	const isWhole = file.length >= 16 && file.readUInt32LE(0) + 4 <= file.length;
	const isKnown = ['LZFu', 'MELA'].includes(file.toString('latin1', 8, 12));
	return isWhole && isKnown ? Buffer.from(decompressRTF(Array.from(file))) : undefined;
}
