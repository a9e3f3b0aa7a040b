/** Tells a mail, or a file of mails, by the header lines that it begins with. */
export function isMail(text: string): boolean {
	const head = text
		.slice(0, 65_536)
		.replace(/^\s+/, '')
		.replace(/^From \S.*\r?\n/, '');
	const names = new Set<string>();
	let from = '';
	for (const line of head.split(/\r?\n/, 200)) {
		if (line === '') break;
		const field = /^([!-9;-~]{1,76}):(.*)$/.exec(line);
		if (!field && !/^[ \t]/.test(line)) return false;
		const name = field?.[1]?.toLowerCase();
		if (name) names.add(name);
		if (name === 'from') from = field?.[2] ?? '';
	}
	const known = [...names].filter((name) => common.has(name)).length;
	const isSent = [...names].some((name) => sure.has(name)) || from.includes('@');
	return isSent && known >= 2;
}

/** Fields that only a mail has. */
const sure = new Set(['received', 'message-id', 'mime-version', 'return-path', 'delivered-to']);
const common = new Set([
	...sure,
	...['from', 'to', 'cc', 'bcc', 'subject', 'date', 'reply-to', 'sender', 'content-type'],
	...['content-transfer-encoding', 'x-mailer', 'dkim-signature', 'in-reply-to', 'references'],
]);
