import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawClient, type WireList } from '../../test/support/client.ts';
import { fakeVideo } from '../../test/support/fake-models.ts';
import { bootEmbedded } from '../../test/support/serve.ts';

const keys =
	' studio:the-first-of-studio , studio:the-second-of-studio,a-key-without-tenant,other:with:a-colon-inside,,';

let booted: Awaited<ReturnType<typeof bootEmbedded>>;
const client = (key: string) => rawClient('http://plinth.test', key, (request) => booted.app.fetch(request));

beforeAll(async () => {
	booted = await bootEmbedded({ keys, models: { 'instant-1': fakeVideo() } });
}, 20_000);

afterAll(() => booted?.stop());

describe('PLINTH_API_KEYS', () => {
	test.each(['the-first-of-studio', 'the-second-of-studio', 'a-key-without-tenant', 'with:a-colon-inside'])(
		'accepts %s',
		async (key) => {
			expect((await client(key).send('/v1/models')).status).toBe(200);
		},
	);

	test.each(['studio:the-first-of-studio', 'studio', 'a-colon-inside', 'THE-FIRST-OF-STUDIO'])(
		'refuses "%s"',
		async (key) => {
			expect((await client(key).send('/v1/models')).status).toBe(401);
		},
	);

	test('gives two keys of a tenant access to the same videos', async () => {
		const { id } = await client('the-first-of-studio').create({ model: 'instant-1', prompt: 'ours' });
		expect((await client('the-second-of-studio').send(`/v1/videos/${id}`)).status).toBe(200);
	});

	test('makes a key without a tenant its own tenant', async () => {
		await client('the-first-of-studio').create({ model: 'instant-1', prompt: 'not theirs' });
		expect((await client('a-key-without-tenant').json<WireList>('/v1/videos')).data).toEqual([]);
	});
});
