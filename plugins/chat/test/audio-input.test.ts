import { invalidValue } from '@plinth/core';
import { errorOf, fakeBackend } from '@plinth/testing';
import { mediaServices, type SpeechReader } from '@plinth/toolkit';
import { describe, expect, test } from 'vitest';
import { storedFiles } from '../../../test/support/stored-files.ts';
import type { DocumentPart } from '../src/model.ts';
import { answerOf, file, type HarnessOptions, harness, user } from './harness.ts';

const wav = Buffer.concat([Buffer.from('RIFF\x24\0\0\0WAVEfmt ', 'latin1'), Buffer.alloc(100)]);
const audioPart = (bytes: Uint8Array = wav) => ({
	type: 'input_audio',
	input_audio: { data: Buffer.from(bytes).toString('base64'), format: 'wav' },
});

/** A chat app with a speech reader that transcribes all audio as one sentence, and the audio that it received. */
async function chatWithSpeechReader(options: HarnessOptions = {}, read?: SpeechReader['read'], isAvailable = true) {
	const received: { readonly bytes: Buffer; readonly param: string; readonly tenant: string }[] = [];
	const reader: SpeechReader = {
		isAvailable,
		async read(sent, param, caller) {
			received.push({ bytes: Buffer.from(await sent.bytes()), param, tenant: caller.principal.tenant });
			return read ? read(sent, param, caller) : 'Where is the lighthouse?';
		},
	};
	const backends = { ...options.backends, speech: fakeBackend(mediaServices.speech, reader) };
	return { ...(await harness({ ...options, backends })), heard: received };
}

describe('audio for a model without audio input', () => {
	test('is passed as the text of a document', async () => {
		const served = await chatWithSpeechReader();
		await answerOf(await served.ask({ messages: [user({ type: 'text', text: 'Answer.' }, audioPart())] }));
		const param = 'messages[0].content[1].input_audio.data';
		expect(served.heard).toEqual([{ bytes: wav, param, tenant: 'alice' }]);
		expect(served.calls[0]?.request.messages[0]?.content[1]).toMatchObject({
			type: 'document',
			filename: 'audio.wav',
			mediaType: 'audio/wav',
			text: '<file name="audio.wav" type="audio/wav">\nWhere is the lighthouse?\n</file>',
		} satisfies Partial<DocumentPart>);
		expect(served.texts).toEqual([]);
	});

	test('may be long, a file, or a stored file', async () => {
		const long = Buffer.concat([wav, Buffer.alloc(200_000)]);
		const backends = { files: storedFiles({ talk: wav }) };
		const served = await chatWithSpeechReader({ backends });
		const stored = { type: 'file', file: { file_id: 'talk' } };
		const data = { type: 'file', file: { file_data: `data:audio/wav;base64,${wav.toString('base64')}` } };
		await answerOf(await served.ask({ messages: [user(audioPart(long), data, stored, file('text'))] }));
		expect(served.heard.map(({ bytes }) => bytes.length).toSorted()).toEqual([116, 116, 200_116].toSorted());
		expect(served.texts).toEqual(['text']);
	});

	test('is rejected with its parameter when it is no audio', async () => {
		const served = await chatWithSpeechReader({}, async (_, param) => {
			throw invalidValue(param, `${param}: this is no audio.`);
		});
		const failure = await errorOf(await served.ask({ messages: [user(audioPart(Buffer.from('text')))] }));
		expect(failure).toMatchObject({ status: 400, param: 'messages[0].content[0].input_audio.data' });
		expect(served.calls).toEqual([]);
	});

	test('is rejected when no model of the server transcribes', async () => {
		const served = await chatWithSpeechReader({}, undefined, false);
		const failure = await errorOf(await served.ask({ messages: [user(audioPart())] }));
		expect(failure).toMatchObject({ code: 'unsupported_value', param: 'messages[0].content[0].input_audio' });
	});

	test('counts towards the limit of document text', async () => {
		const served = await chatWithSpeechReader({ options: { documentChars: 10 } });
		const failure = await errorOf(await served.ask({ messages: [user(audioPart())] }));
		expect(failure).toMatchObject({ status: 400, code: 'document_too_large' });
	});
});

test('audio for a model with audio input is passed unchanged', async () => {
	const served = await chatWithSpeechReader({ abilities: { audio: true } });
	await answerOf(await served.ask({ messages: [user(audioPart())] }));
	expect(served.calls[0]?.request.messages[0]?.content[0]).toMatchObject({ type: 'audio', format: 'wav' });
	expect(served.heard).toEqual([]);
});
