import { invalidValue } from '@plinth/core';

const remedy =
	'This model speaks English only. For other languages, compose another speech model, for example one behind an OpenAI-compatible server.';

/** Words that are frequent in one language and no common English words: only these count. */
const profiles: Readonly<Record<string, readonly string[]>> = {
	German:
		'guten morgen tag abend geht ihnen ihr euch danke bitte der das und ist nicht ein eine einen mit den dem von zu auf für ich sie es sich auch wie wir aber sind werden haben bei oder noch nach kann dass heute sehr wird hat die im ein ihr wenn weil aus über mehr nur mein meine dein unser wurde diese dieser'.split(
			' ',
		),
	French:
		"bonjour bonsoir merci vous allez je suis le la les des et est une dans que qui pas vous nous avec je il elle ce cette mais sont ont été aux du sur très c'est j'ai où son sa ses leur aujourd'hui être fait comme plus".split(
			' ',
		),
	Spanish:
		'hola buenos buenas días gracias usted el la los las y es una que en por con para se lo del su al como más pero muy está este esta yo mi hoy qué'.split(
			' ',
		),
	Italian:
		'il lo la gli le e è di che un una per non con sono del della dei questo questa ma come più anche nel alla oggi molto si ho'.split(
			' ',
		),
	Portuguese:
		'o os e é de que um uma para não com em por da do das dos na mas como foi são está você muito hoje eu isso'.split(
			' ',
		),
	Dutch:
		'de het een en van niet dat op te zijn met voor maar ik je hij ook aan wij naar dit wat zeer heel vandaag heeft'.split(
			' ',
		),
	Swedish: 'och är det att en som på inte jag med för av till har vi ett kan du idag mycket denna detta'.split(' '),
	Danish: 'og er det at en ikke jeg med af til har vi et på kan du meget denne dette som jeg'.split(' '),
	Polish: 'w i na nie że się z do jest jak ale czy był tak po co dla dzisiaj bardzo tego oraz'.split(' '),
};

const english = new Set(
	'the and of to is in that it was for you he with on are this be have from not they we but his had by at an will would there what my your she which when who been has were can i a as or if do so me up out its our their them than then just into about please'.split(
		' ',
	),
);

/**
 * Refuses text that the synthesizer would only mangle: letters of another script, mostly accented words, or surely another language.
 * Doubtful and short text passes. Throws `E_VALUE_INVALID` on `input`.
 */
export function assertEnglish(text: string): void {
	const [strange] = text.match(/(?:(?!\p{Script=Latin})\p{L}){2,}/gu) ?? [];
	if (strange) {
		throw invalidValue('input', `"${strange.slice(0, 20)}" cannot be pronounced. ${remedy}`);
	}
	const words = text.match(/\p{L}+/gu) ?? [];
	const accented = words.filter((word) => /[^a-z]/i.test(word)).length;
	// English borrows a word with accents now and then, not most of a phrase.
	if (words.length >= 4 && accented > words.length / 2) {
		throw invalidValue('input', `The text seems not to be English. ${remedy}`);
	}
	const language = foreignLanguage(text);
	if (language) throw invalidValue('input', `The text seems to be ${language}. ${remedy}`);
}

/** The language of a text that is surely not English, else undefined. Needs five words and a clear majority. */
export function foreignLanguage(text: string): string | undefined {
	const words = functionWords(text);
	if (words.length < 5) return undefined;
	const englishCount = words.filter((word) => english.has(word)).length;
	let best: readonly [string, number] = ['', 0];
	for (const [language, profile] of Object.entries(profiles)) {
		const count = words.filter((word) => profile.includes(word)).length;
		if (count > best[1]) best = [language, count];
	}
	const sure = best[1] >= 3 && best[1] >= words.length * 0.25 && best[1] >= englishCount * 3;
	return sure ? best[0] : undefined;
}

/**
 * Names keep their articles ("Los Angeles"), so within a sentence of mixed case only words in small letters can tell the language;
 * the others remain as empty strings.
 */
function functionWords(text: string): readonly string[] {
	const normal = text.normalize('NFC').replaceAll('’', "'");
	const shouting = !/\p{Ll}/u.test(normal);
	const plain = shouting
		? normal.toLowerCase()
		: normal.replace(/(?:^|[.!?¿¡]\s*)\p{Lu}/gu, (start) => start.toLowerCase());
	const words = plain.match(/\p{L}+(?:'\p{L}+)?/gu) ?? [];
	return words.map((word) => (/^\p{Lu}/u.test(word) ? '' : word));
}
