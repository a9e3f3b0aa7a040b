import { describe, expect, it } from 'vitest';
import { assertEnglish, foreignLanguage } from '../../src/speech/language.ts';

describe('foreignLanguage', () => {
	it.each([
		['German', 'Ich habe heute keine Zeit, aber wir sehen uns morgen.'],
		['German', 'ACHTUNG, DAS IST EIN TEST UND NICHT MEHR'],
		['French', 'Bonjour, je suis très heureux de vous voir.'],
		['Spanish', 'Hola, ¿cómo estás? Yo estoy muy bien hoy.'],
		['Italian', 'Ciao, come stai? Oggi è una bella giornata per il mare.'],
		['Portuguese', 'Olá, como você está? Hoje é um dia muito bonito.'],
		['Dutch', 'Hallo, hoe gaat het met je? Het is vandaag een mooie dag.'],
		['Swedish', 'Hej, jag är mycket glad att se dig idag.'],
		['Danish', 'Jeg har ikke været på arbejde i dag, og det er en god dag.'],
		['Polish', 'Cześć, jak się masz? Dzisiaj jest bardzo ładny dzień.'],
	])('recognises %s: %s', (language, text) => {
		expect(foreignLanguage(text)).toBe(language);
	});

	it.each([
		'The quick brown fox jumps over the lazy dog.',
		'Guten Morgen',
		'Los Angeles, Las Vegas, San Diego, El Paso, La Jolla',
		'He said je ne sais quoi and left the room.',
		'Die Hard is the best film of all',
		'que sera sera, whatever will be will be',
		'Dog cat bird fish tree',
		'I am on a plane to Oslo.',
	])('lets pass what may be English: %s', (text) => {
		expect(foreignLanguage(text)).toBeUndefined();
	});
});

describe('assertEnglish', () => {
	it.each(['Привет, как дела?', '你好，世界', 'مرحبا بالعالم', 'γειά σου κόσμε'])(
		'refuses another script: %s',
		(text) => {
			expect(() => assertEnglish(text)).toThrow(expect.objectContaining({ code: 'E_VALUE_INVALID', param: 'input' }));
		},
	);

	it('names the language and the remedy', () => {
		expect(() => assertEnglish('Je ne sais pas où il est, mais nous sommes ici.')).toThrow(
			/seems to be French\. This model speaks English only\. .*compose another speech model/,
		);
	});

	it.each(['Hello 你好 world', 'Schöne Grüße aus München'])('refuses "%s"', (text) => {
		expect(() => assertEnglish(text)).toThrow(/speaks English only/);
	});

	it.each(['A café in Zürich', 'Crème brûlée'])('lets "%s" pass', (text) => {
		assertEnglish(text);
	});

	it('lets single foreign letters and text without letters pass', () => {
		assertEnglish('The Greek letter α is called alpha.');
		assertEnglish('12 + 30');
	});
});
