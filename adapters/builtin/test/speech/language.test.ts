import { describe, expect, it } from 'vitest';
import { assertEnglish } from '../../src/speech/language.ts';

describe('assertEnglish', () => {
	it.each([
		['German', 'Ich habe heute keine Zeit, aber wir sehen uns morgen.'],
		['German', 'ACHTUNG, DAS IST EIN TEST UND NICHT MEHR'],
		['French', 'Bonjour, je suis très heureux de vous voir.'],
		['Spanish', 'Hola, ¿cómo estás? Yo estoy muy bien hoy.'],
		['Italian', 'Ciao, come stai? Oggi è una bella giornata per il mare.'],
		['Portuguese', 'Olá, como você está? Hoje é um dia muito bonito.'],
		['Dutch', 'Hallo, hoe gaat het met je? Het is vandaag een mooie dag.'],
		['Swedish', 'Hej, jag är mycket glad att se dig idag.'],
		['Polish', 'Cześć, jak się masz? Dzisiaj jest bardzo ładny dzień.'],
		['Romanian', 'Buna ziua, ce mai faci astazi prietene'],
	])('refuses %s: %s', async (language, text) => {
		await expect(assertEnglish(text)).rejects.toMatchObject({
			code: 'E_VALUE_INVALID',
			param: 'input',
			message: expect.stringContaining(`seems to be ${language}. This model speaks English only.`),
		});
	});

	it.each(['Привет, как дела?', '你好，世界', 'مرحبا بالعالم', 'γειά σου κόσμε', 'Hello 你好 world'])(
		'rejects text in another script: %s',
		async (text) => {
			await expect(assertEnglish(text)).rejects.toMatchObject({ code: 'E_VALUE_INVALID', param: 'input' });
		},
	);

	it.each([
		'The quick brown fox jumps over the lazy dog.',
		'Guten Morgen',
		'Los Angeles, Las Vegas, San Diego, El Paso, La Jolla',
		'He said je ne sais quoi and left the room.',
		'Die Hard is the best film of all',
		'que sera sera, whatever will be will be',
		'Dog cat bird fish tree',
		'I am on a plane to Oslo.',
		'The SDK of OpenAI works as it is.',
		'Then an HTTP server will be launched.',
		'A café in Zürich',
		'Crème brûlée',
		'The Greek letter α is called alpha.',
		'12 + 30',
	])('accepts text that may be English: %s', async (text) => {
		await expect(assertEnglish(text)).resolves.toBeUndefined();
	});
});
