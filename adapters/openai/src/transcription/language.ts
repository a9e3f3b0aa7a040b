const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
const letters = [...'abcdefghijklmnopqrstuvwxyz'];
/** Codes of two letters by the English name of their language, in lower case. Made on first use. */
let codes: ReadonlyMap<string, string> | undefined;

/** The code of a language: OpenAI writes `english`, other servers `en`. Undefined for other values. */
export function languageCode(value: unknown): string | undefined {
	if (typeof value !== 'string') return undefined;
	const name = value.toLowerCase();
	if (/^[a-z]{2,3}$/.test(name)) return name;
	codes ??= new Map(letters.flatMap((first) => letters.map((second) => entryOf(first + second))));
	return codes.get(name);
}

/** The English name of a language and its current code, also for an older code such as `iw`. */
function entryOf(code: string): readonly [string, string] {
	return [names.of(code)?.toLowerCase() ?? code, Intl.getCanonicalLocales(code)[0]?.slice(0, 2) ?? code];
}
