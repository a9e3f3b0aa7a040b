/** Replaces a secret. */
export const redacted = '[redacted]';

/** Shorter values are as likely to be words as secrets. */
const shortest = 8;

const known = new Set<string>();

/** Secrets known by their form: our own keys, common vendors' keys, credentials of headers, passwords in URLs. */
const shapes = [
	String.raw`\bplinth_[a-z]+_[\w-]{16,}`,
	// Not every word that begins so: a vendor's key mixes digits and capitals.
	String.raw`\bsk-(?=[\w-]{0,64}\d)(?=[\w-]{0,64}[A-Z])[\w-]{16,}`,
	// Secrets of webhooks.
	String.raw`\bwhsec_[A-Za-z0-9+/]{32,}={0,2}`,
	'-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)',
	String.raw`(?<=\b(?:[Bb]earer|Basic)\s{1,3})[\w.~+/=-]{16,}`,
	String.raw`(?<=//[^\s/:@"]{0,100}:)[^\s/@"]+(?=@)`,
];

/** `OPENAI_API_KEY`, `TOKEN_FOR_X`; not `KEYWORD_MODE`. */
const secretVariable = /(?:^|_)(?:API)?(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL)S?(?:_|$)/i;

/** The engine refuses expressions that are too large: a thousand keys do not fit into one. */
const batch = 100;

let patterns = compile();
let compiled = 0;

/** Whether the name of a log field or an option promises a secret: `apiKey`, `x-api-key`, `set-cookie`. */
export function isSecretName(name: string): boolean {
	return /(?:key|token|secret|password|passphrase|credential|authorization|cookie)s?$/i.test(name);
}

/** Learns the values of environment variables whose names promise a secret, for the whole process. */
export function learnEnvironment(env: Readonly<Record<string, string | undefined>>): void {
	// By descriptor and not by reading: a proxy may record which variables a config reads.
	for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(env))) {
		if (value && secretVariable.test(name)) learn(value);
	}
	refresh();
}

/** Learns the secrets among options: every text under a name that promises one. */
export function learnOptions(options: unknown): void {
	collect(options, false);
	refresh();
}

/** A text with every known secret, and everything that looks like one, replaced by `[redacted]`. */
export function redact(text: string): string {
	if (text.length < shortest) return text;
	return patterns.reduce((rest, pattern) => rest.replace(pattern, redacted), text);
}

function collect(value: unknown, isSecret: boolean): void {
	if (typeof value === 'string') {
		if (isSecret) learn(value);
	} else if (Array.isArray(value)) {
		for (const item of value) collect(item, isSecret);
	} else if (typeof value === 'object' && value !== null) {
		const prototype: unknown = Object.getPrototypeOf(value);
		if (prototype !== Object.prototype && prototype !== null) return;
		for (const [name, item] of Object.entries(value)) collect(item, isSecret || isSecretName(name));
	}
}

/** Entries of lists and the key in `tenant:key` are learnt, too: each may turn up alone. */
function learn(value: string): void {
	const parts = value.split(',').map((part) => part.trim());
	const keys = parts.map((part) => part.slice(part.indexOf(':') + 1));
	// A whole list is covered by its entries, unless one is too short to be known alone.
	const whole = parts.length === 1 || parts.some((part) => part.length < shortest) ? [value] : [];
	for (const text of [...whole, ...parts, ...keys]) {
		if (text.length < shortest) continue;
		known.add(text);
		known.add(JSON.stringify(text).slice(1, -1));
		known.add(encodeURIComponent(text));
	}
}

function refresh(): void {
	if (known.size === compiled) return;
	compiled = known.size;
	patterns = compile();
}

/** The longest first: of two secrets with one prefix, the longer one must match whole. */
function compile(): readonly RegExp[] {
	const texts = [...known].sort((a, b) => b.length - a.length).map(literally);
	const batches: string[][] = [];
	for (let at = 0; at < texts.length; at += batch) batches.push(texts.slice(at, at + batch));
	return [...batches, shapes].map((group) => new RegExp(group.join('|'), 'g'));
}

function literally(text: string): string {
	return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
