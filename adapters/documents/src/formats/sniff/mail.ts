/** Identifies a mail, or a file of mails, by its first header lines. */
export function isMail(text: string): boolean {
	const start = text.slice(0, 65_536).trimStart();
	const lines = start.replace(/^From \S.*\r?\n/, '').split(/\r?\n/, 200);
	const end = lines.indexOf('');
	const head = end === -1 ? lines : lines.slice(0, end);
	if (!head.every((line) => /^(?:[!-9;-~]{1,76}:|[ \t])/.test(line))) return false;
	const names = new Set(head.map((line) => line.split(':', 1)[0]?.toLowerCase() ?? ''));
	const isSent = mailFields.some((name) => names.has(name)) || head.some((line) => /^from:.*@/i.test(line));
	return isSent && [...mailFields, ...common].filter((name) => names.has(name)).length >= 2;
}

/** Fields that only a mail has. */
const mailFields = ['received', 'message-id', 'mime-version', 'return-path', 'delivered-to'];
const common = [
	...['from', 'to', 'cc', 'bcc', 'subject', 'date', 'reply-to', 'sender', 'content-type'],
	...['content-transfer-encoding', 'x-mailer', 'dkim-signature', 'in-reply-to', 'references'],
];
