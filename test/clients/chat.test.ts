import { documentReader } from '@plinth/documents';
import * as zod7 from 'openai/helpers/zod';
import * as zod6 from 'openai-v6/helpers/zod';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { reportPdf } from '../../cli/src/demo/report-pdf.ts';
import { fakeChat } from '../support/fake-chat.ts';
import { keyA, type Served, serveEmbedded } from '../support/serve.ts';
import { type ChatSubject, chatsLikeOpenAI } from './chat-suite.ts';
import { lines, sdkClient, type WatchedClient } from './sdk.ts';

const pdf = `data:application/pdf;base64,${Buffer.from(reportPdf()).toString('base64')}`;
const helpers = [zod6, zod7] as unknown as readonly Pick<ChatSubject, 'zodResponseFormat'>[];

let served: Served;

beforeAll(async () => {
	served = await serveEmbedded({
		backends: { documents: documentReader({ workers: 1 }) },
		models: { 'echo-1': fakeChat() },
	});
});

afterAll(() => served?.stop());

const runs = lines.map((line, index) => ({ ...line, ...helpers[index] }));

describe.each(runs)('chat with $name', ({ OpenAI, zodResponseFormat = zod7.zodResponseFormat }) => {
	let watched: WatchedClient;

	beforeAll(() => {
		watched = sdkClient(OpenAI, { url: served.url, key: keyA, mode: 'Bearer only' });
	});

	// Collected instead of thrown: the SDK would treat a throw as a broken connection and retry.
	afterEach(() => expect(watched.violations).toEqual([]));

	chatsLikeOpenAI(() => ({ client: watched.client, zodResponseFormat, pdf }));
});
