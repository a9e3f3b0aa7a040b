import type { App } from '@plinth/core';
import fc from 'fast-check';
import { type RawClient, rawClient } from '../client.ts';
import { keyA, keyB } from '../serve.ts';
import { chatFacts } from './chats.ts';
import { consumable } from './consumable.ts';
import type { Operation } from './document.ts';
import { documentFacts } from './documents.ts';
import type { Facts, Tolerance } from './facts.ts';
import { absentImages, imageFacts, imageSamples, storeImage } from './images.ts';
import { fileFacts } from './stored-files.ts';
import { streamFacts } from './streams.ts';
import { transcriptionFacts } from './transcription.ts';
import { callbackFacts, webhookFacts } from './webhooks.ts';

/**
 * Facts of a server with the models `instant-1`, `held-1`, `silent-1`, `echo-1`, `paint-1`, `hear-1` and the built-in
 * ones. Webhooks may go to `receiver`, which responds to every POST.
 */
export async function embeddedFacts(app: App, receiver: string): Promise<Facts> {
	const transport = (request: Request) => app.fetch(request);
	const client = rawClient('http://fuzz.test', keyA, transport);
	const otherTenant = rawClient('http://fuzz.test', keyB, transport);
	const ofWebhooks = await webhookFacts(client, otherTenant, receiver);
	const ofFiles = await fileFacts(client, otherTenant);
	const samples = await imageSamples(client);
	const stored = await storeImage(client);
	const ofImages = imageFacts(samples, stored);
	const ofTranscription = await transcriptionFacts(client);
	const ofChats = chatFacts(samples.urls, [ofFiles.textFile]);
	const ofJobs = callbackFacts('POST /v1/videos', receiver);
	const ofRemixes = callbackFacts('POST /v1/videos/{id}/remix', receiver);
	const videos = await createVideos(client);
	const link = new URL((await client.json<{ url: string }>(`/v1/videos/${videos.completed[0]}`)).url);
	const linkName = link.pathname.split('/').at(-1) ?? '';
	const ofStreams = await streamFacts(client, videos.completed[0] ?? '');
	const ofOtherTenant = await otherTenant.create({ model: 'instant-1', prompt: 'not yours' });
	const usedKey = await consumeKey(client);
	const absent = absentVideos(videos.deleted, ofOtherTenant.id);
	const deletable = consumable(async () => {
		return (await client.create({ model: 'instant-1', prompt: 'to be deleted' })).id;
	});
	let nextIndex = 0;
	const next = (ids: readonly string[]) => ids[nextIndex++ % ids.length] ?? '';
	return {
		known: {
			'POST /v1/videos model': ['instant-1'],
			'POST /v1/videos input_reference.image_url': samples.urls,
			'POST /v1/videos input_reference.file_id': samples.ids,
			'GET /v1/videos/results/{name} signature': [link.searchParams.get('signature') ?? ''],
			'POST /v1/audio/speech model': ['silent-1'],
			...ofJobs.known,
			...ofRemixes.known,
			...ofImages.known,
			...ofChats.known,
			...ofTranscription.known,
			...ofWebhooks.known,
			...ofStreams.known,
		},
		spellings: { ...ofJobs.spellings, ...ofRemixes.spellings, ...ofWebhooks.spellings },
		needed: [...ofImages.needed, 'GET /v1/videos/results/{name} signature'],
		endless: ofStreams.endless,
		files: samples.files,
		combinations: {
			'POST /v1/audio/speech': speechBodies,
			...ofImages.combinations,
			...ofChats.combinations,
			...ofTranscription.combinations,
		},
		usual: { ...ofImages.usual, ...ofChats.usual },
		bodyRules: {
			...ofImages.bodyRules,
			...ofChats.bodyRules,
			...ofFiles.bodyRules,
			...ofJobs.bodyRules,
			...ofRemixes.bodyRules,
			...documentFacts.bodyRules,
			...ofTranscription.bodyRules,
		},
		textualScalars: [...ofImages.textualScalars, ...documentFacts.textualScalars],
		anyFile: [...documentFacts.anyFile, ...ofFiles.anyFile],
		tolerated: [...tolerated, ...ofWebhooks.tolerated],
		usedKey,
		async live(operation: Operation) {
			const { name, path } = operation;
			if (path.startsWith('/v1/webhook_')) return ofWebhooks.live(operation);
			if (path.startsWith('/v1/files')) return ofFiles.live(operation);
			if (path.startsWith('/v1/models')) return next(['instant-1', 'builtin-speech']);
			if (path.startsWith('/v1/images/results')) return stored.name;
			if (path.startsWith('/v1/videos/results')) return linkName;
			if (name === 'GET /v1/videos/{id}') return next(videos.all);
			return name === 'DELETE /v1/videos/{id}' ? deletable.id() : next(videos.completed);
		},
		absent: (operation) => {
			const { path } = operation;
			if (path.startsWith('/v1/webhook_')) return ofWebhooks.absent(operation);
			if (path.startsWith('/v1/files')) return ofFiles.absent;
			if (path.startsWith('/v1/images')) return absentImages(stored);
			if (path.startsWith('/v1/videos/results')) return ['nonsense', `0${linkName}`, linkName.toUpperCase()];
			return path.startsWith('/v1/models') ? absentModels : absent;
		},
		async clear(operation, status, body) {
			const { name } = operation;
			await ofWebhooks.clear(operation, status, body);
			await ofFiles.clear(operation, status, body);
			if (name === 'DELETE /v1/videos/{id}' && status === 200) deletable.markUsed();
			if (status !== 201 || !/^POST \/v1\/videos(?:\/\{id\}\/remix)?$/.test(name)) return;
			await client.send(`/v1/videos/${(body as { id: string }).id}`, { method: 'DELETE' });
		},
	};
}

const tolerated: readonly Tolerance[] = [
	{
		at: '*',
		value: null,
		means: undefined,
		reason: 'some clients send null for every field that is not set',
	},
	...['2', '4', '8', '12'].map((text) => ({
		at: 'POST /v1/videos seconds',
		value: Number(text),
		means: text,
		reason: 'clients send the length as a number, and the value is unambiguous',
	})),
];

// The built-in speech model supports English and its own voices only, so its fields depend on each other.
const speechBodies = fc.record(
	{
		model: fc.constant('builtin-speech'),
		input: fc.constantFrom('Good morning.', 'Yes.', 'It is 5 o’clock.', 'A, b & c!'),
		voice: fc.constantFrom('nova', 'onyx', 'alloy', { id: 'echo' }),
		response_format: fc.constantFrom('wav', 'pcm', 'mp3', 'opus', 'aac', 'flac'),
		speed: fc.constantFrom(0.25, 1, 1.5, 4),
		stream_format: fc.constantFrom('audio', 'sse'),
		instructions: fc.constantFrom('', 'Slowly.', 'Sound excited!'),
	},
	{ requiredKeys: ['model', 'input', 'voice', 'response_format'] },
);

async function consumeKey(client: RawClient): Promise<string> {
	const key = 'fuzz-used';
	await client.send('/v1/videos', {
		method: 'POST',
		headers: { 'content-type': 'application/json', 'idempotency-key': key },
		body: JSON.stringify({ model: 'instant-1', prompt: 'the first with this key' }),
	});
	return key;
}

async function createVideos(client: RawClient) {
	const make = async (prompt: string) => {
		const { id } = await client.create({ model: 'instant-1', prompt });
		return (await client.finished(id)).id;
	};
	const completed = [await make('one'), await make('two'), await make('three')];
	const failed = await make('fail: no paint left');
	const held = await client.create({ model: 'held-1', prompt: 'wait' });
	const deleted = await make('four');
	await client.send(`/v1/videos/${deleted}`, { method: 'DELETE' });
	return { completed, deleted, all: [...completed, failed, held.id] };
}

const absentModels = ['nobody', 'instant-2', 'INSTANT-1', 'a/b', 'toString', 'instant-1 '];

function absentVideos(deleted: string, ofOtherTenant: string): readonly string[] {
	const unknown = `video_${'0'.repeat(44)}`;
	const malformed = ['video_', 'nonsense', 'list', unknown.toUpperCase(), `${unknown}0`, '0', '-1'];
	return [unknown, deleted, ofOtherTenant, ` ${ofOtherTenant}`, ...malformed];
}
