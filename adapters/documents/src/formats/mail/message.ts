import type { Content, ReadContext } from '../format.ts';
import { innerText, innerTitle } from '../inner.ts';

/** A mail, whatever it was stored as. */
export interface Message {
	/** Name and value of each line that a reader sees above the text. */
	readonly heads: readonly (readonly [string, string | undefined])[];
	readonly body: string;
	readonly attachments: readonly Attachment[];
	/** ISO 8601. */
	readonly sent?: string | undefined;
}

/** A file that came with a mail: its bytes, or another mail. */
export interface Attachment {
	readonly name: string | undefined;
	readonly content: Uint8Array | Message;
}

/**
 * A mail as text: its head, its body, then each attachment below a line with its name. Attachments of a mail that is itself inside another
 * file are named and not opened.
 */
export async function messageText(message: Message, context: ReadContext): Promise<string> {
	const parts = [letter(message)];
	for (const attachment of message.attachments) {
		const title = innerTitle(attachment.name, 'attachment: ');
		parts.push(`${title}\n${await attachmentText(attachment, context)}`.trimEnd());
	}
	return parts.join('\n\n');
}

/** The mail and what it says of itself. */
export async function messageContent(message: Message, mediaType: string, context: ReadContext): Promise<Content> {
	const head = (name: string) => message.heads.find(([other]) => other === name)?.[1];
	const title = head('Subject');
	const author = head('From');
	const metadata = {
		...(title && { title }),
		...(author && { author }),
		...(message.sent && { created: message.sent }),
	};
	return { mediaType, text: await messageText(message, context), metadata };
}

async function attachmentText({ content }: Attachment, context: ReadContext): Promise<string> {
	if (context.depth > 0) return '';
	if (content instanceof Uint8Array) return (await innerText(context, async () => content)).text;
	return await messageText(content, { ...context, depth: 1 });
}

function letter({ heads, body }: Message): string {
	const lines = heads.filter(([, value]) => value).map(([name, value]) => `${name}: ${value}`);
	return [...lines, '', body.trim()].join('\n').trim();
}
