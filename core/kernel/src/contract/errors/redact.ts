export const redacted = '[redacted]';

/** Shorter values are not redacted: they may be ordinary words. */
const minLength = 8;

const known = new Set<string>();

/** Patterns of secrets: keys of Plinth, webhooks and common vendors, credentials in headers, passwords in URLs. */
const shapes = [
	String.raw`\bplinth_[a-z]+_[\w-]{16,}`,
	// A vendor's key has digits and capitals; an ordinary word that begins with `sk-` does not.
	String.raw`\bsk-(?=[\w-]{0,64}\d)(?=[\w-]{0,64}[A-Z])[\w-]{16,}`,
	String.raw`\bwhsec_[A-Za-z0-9+/]{32,}={0,2}`,
	'-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)',
	String.raw`(?<=\b(?:[Bb]earer|Basic)\s{1,3})[\w.~+/=-]{16,}`,
	String.raw`(?<=//[^\s/:@"]{0,100}:)[^\s/@"]+(?=@)`,
];

/** `OPENAI_API_KEY`, `TOKEN_FOR_X`; not `KEYWORD_MODE`. */
const secretVariable = /(?:^|_)(?:API)?(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL)S?(?:_|$)/i;

/** How many secrets one expression has. The engine rejects larger expressions: a thousand keys do not fit into one. */
const batchSize = 100;

let patterns: readonly RegExp[] = [];
/** How many secrets were known when the patterns were made. */
let compiledCount = -1;

/** Whether the name of a log field or an option suggests a secret: `apiKey`, `x-api-key`, `set-cookie`. */
export function isSecretName(name: string): boolean {
	return /(?:key|token|secret|password|passphrase|credential|authorization|cookie)s?$/i.test(name);
}

/** Learns the values of environment variables whose names suggest a secret, for the whole process. */
export function learnEnvironment(env: Readonly<Record<string, string | undefined>>): void {
	// Reads descriptors, not properties: `env` may be a proxy that records which variables a config reads.
	for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(env))) {
		if (value && secretVariable.test(name)) learn(value);
	}
}

/** Learns the secrets among options: every string under a name that suggests one. */
export function learnOptions(options: unknown): void {
	collect(options, false);
}

/** Replaces every known secret, and everything that looks like one, by `[redacted]`. */
export function redact(text: string): string {
	if (text.length < minLength) return text;
	if (known.size !== compiledCount) {
		compiledCount = known.size;
		patterns = compile();
	}
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

/** Also learns the entries of a list and the key in `tenant:key`: each may appear alone. */
function learn(value: string): void {
	const parts = value.split(',').map((part) => part.trim());
	const keys = parts.map((part) => part.slice(part.indexOf(':') + 1));
	// The entries cover the whole list, unless one is too short to be redacted alone.
	const whole = parts.length === 1 || parts.some((part) => part.length < minLength) ? [value] : [];
	for (const text of [...whole, ...parts, ...keys]) {
		if (text.length < minLength) continue;
		known.add(text);
		known.add(JSON.stringify(text).slice(1, -1));
		known.add(encodeURIComponent(text.toWellFormed()));
	}
}

/** Longest first: if one secret is a prefix of another, the longer one must match as a whole. */
function compile(): readonly RegExp[] {
	const texts = [...known].sort((a, b) => b.length - a.length).map(escapeForRegExp);
	const batches: string[][] = [];
	for (let at = 0; at < texts.length; at += batchSize) batches.push(texts.slice(at, at + batchSize));
	return [...batches, shapes].map((group) => new RegExp(group.join('|'), 'g'));
}

function escapeForRegExp(text: string): string {
	return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
