import { openCompoundFile, type Storage } from '../../ole/compound-file.ts';
import { decodeAs, decodeText } from '../charset.ts';
import type { FormatReader, ReadContext } from '../format.ts';
import { rtfText } from '../rtf/read.ts';
import { unpackedRtf } from './compressed-rtf.ts';
import { htmlText } from './eml.ts';
import { type Attachment, type Message, messageContent } from './message.ts';
import { Properties } from './properties.ts';

/** Reads Outlook messages ([MS-OXMSG]): head, body as text, HTML or RTF, attachments. */
export const readMsg: FormatReader = async (bytes, context) => {
	const message = await messageOf(openCompoundFile(bytes), context, 0);
	return await messageContent(message, 'application/vnd.ms-outlook', context);
};

/** Numbers of properties ([MS-OXPROPS]). */
const tags = {
	subject: 0x0037,
	sent: 0x0039,
	recipientKind: 0x0c15,
	senderName: 0x0c1a,
	senderAddress: 0x0c1f,
	displayCc: 0x0e03,
	displayTo: 0x0e04,
	delivered: 0x0e06,
	body: 0x1000,
	rtf: 0x1009,
	html: 0x1013,
	displayName: 0x3001,
	address: 0x3003,
	data: 0x3701,
	shortName: 0x3704,
	longName: 0x3707,
	mimeType: 0x370e,
	contentId: 0x3712,
	smtpAddress: 0x39fe,
	senderSmtp: 0x5d01,
	isHidden: 0x7ffe,
} as const;

async function messageOf(storage: Storage, context: ReadContext, depth: number): Promise<Message> {
	const properties = new Properties(storage, depth === 0 ? 'message' : 'inner', context.budget);
	const recipients = recipientsOf(storage, context);
	const sent = properties.time(tags.sent) ?? properties.time(tags.delivered);
	const sender = named(
		properties.text(tags.senderName),
		properties.text(tags.senderSmtp) ?? properties.text(tags.senderAddress),
	);
	return {
		heads: [
			['From', sender],
			['To', recipients(1) || properties.text(tags.displayTo)],
			['Cc', recipients(2) || properties.text(tags.displayCc)],
			['Bcc', recipients(3)],
			['Date', sent?.replace(/\.\d+Z$/, 'Z')],
			['Subject', properties.text(tags.subject)],
		],
		body: await bodyOf(properties, context),
		attachments: depth > 1 ? [] : await attachmentsOf(storage, context, depth),
		sent,
	};
}

async function bodyOf(properties: Properties, context: ReadContext): Promise<string> {
	const plain = properties.text(tags.body);
	if (plain?.trim()) return plain;
	const html = properties.bytes(tags.html);
	const page = html ? htmlOf(html, properties.charsetOfHtml) : properties.text(tags.html);
	if (page?.trim()) return await htmlText(page, context);
	const packed = properties.bytes(tags.rtf);
	return packed ? rtfText(unpackedRtf(packed, context.budget)).pages.join('\n') : '';
}

/** Outlook tells the charset of a page beside it, if at all. */
function htmlOf(html: Buffer, charset: string | undefined): string {
	return (charset && decodeAs(html, charset)) ?? decodeText(html).text;
}

/** The recipients of a kind: 1 are those the mail is to, 2 those of its copies, 3 those of its blind copies. */
function recipientsOf(storage: Storage, context: ReadContext): (kind: number) => string {
	const all = foldersOf(storage, '__recip_version1.0_').map((folder) => {
		const properties = new Properties(folder, 'part', context.budget);
		const address = properties.text(tags.smtpAddress) ?? properties.text(tags.address);
		const text = named(properties.text(tags.displayName), address);
		return { kind: (properties.number(tags.recipientKind) ?? 1) & 15, text };
	});
	return (kind) =>
		all
			.filter((one) => one.kind === kind && one.text)
			.map(({ text }) => text)
			.join(', ');
}

async function attachmentsOf(storage: Storage, context: ReadContext, depth: number): Promise<Attachment[]> {
	const attachments: Attachment[] = [];
	for (const folder of foldersOf(storage, '__attach_version1.0_')) {
		const properties = new Properties(folder, 'part', context.budget);
		const type = properties.text(tags.mimeType) ?? '';
		const isShown = properties.number(tags.isHidden) === 1 || properties.text(tags.contentId);
		if (isShown && type.startsWith('image/')) continue;
		const inner = folder.storages.get('__substg1.0_3701000D');
		const isMessage = inner?.names.includes('__properties_version1.0');
		const content = isMessage
			? await messageOf(inner as Storage, context, depth + 1)
			: (properties.bytes(tags.data) ?? new Uint8Array());
		attachments.push({ name: nameOf(properties), content });
	}
	return attachments;
}

function nameOf(properties: Properties): string | undefined {
	return properties.text(tags.longName) ?? properties.text(tags.shortName) ?? properties.text(tags.displayName);
}

function foldersOf(storage: Storage, prefix: string): Storage[] {
	return [...storage.storages]
		.filter(([name]) => name.startsWith(prefix))
		.sort(([a], [b]) => (a < b ? -1 : 1))
		.map(([, folder]) => folder);
}

/** Addresses within a company begin with `/O=` and say nothing to a reader. */
function named(name: string | undefined, address: string | undefined): string | undefined {
	const shown = address?.startsWith('/') ? undefined : address;
	return name && shown && name !== shown ? `${name} <${shown}>` : (name ?? shown);
}
