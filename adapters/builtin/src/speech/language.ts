import { invalidValue } from '@plinth/core';

const remedy =
	'This model speaks English only. For other languages, compose another speech model, for example of @plinth/openai.';

/** Refuses letters of another script, and text that is certainly not English. Ambiguous and short text is accepted. */
export async function assertEnglish(text: string): Promise<void> {
	const [foreign] = text.match(/(?:(?!\p{Script=Latin})\p{L}){2,}/gu) ?? [];
	if (foreign) throw invalidValue('input', `"${foreign.slice(0, 20)}" cannot be pronounced. ${remedy}`);
	const language = await foreignLanguage(text);
	if (language) throw invalidValue('input', `The text seems to be ${language}. ${remedy}`);
}

/** Checks the words at odd and even positions separately, as one rare word can mislead tinyld. Both must be foreign. */
async function foreignLanguage(text: string): Promise<string | undefined> {
	const isUpperCase = !/\p{Ll}/u.test(text);
	const words = (text.match(/\p{L}+/gu) ?? []).filter((word) => isUpperCase || !/^\p{Lu}{2,}/u.test(word));
	if (words.length < 5) return undefined;
	const { detectAll } = await import('tinyld/light');
	// More words take longer and do not improve the result.
	const examined = words.slice(0, 200);
	const [best] = detectAll(examined.join(' '));
	const isForeign = [0, 1].every((rest) => {
		const languages = detectAll(examined.filter((_, index) => index % 2 === rest).join(' '));
		const accuracy = (lang?: string) => languages.find((language) => language.lang === lang)?.accuracy ?? 0;
		return accuracy(best?.lang) >= 0.05 && accuracy(best?.lang) > 2 * accuracy('en');
	});
	return best && isForeign ? new Intl.DisplayNames('en', { type: 'language' }).of(best.lang) : undefined;
}
