import { eventually } from '@plinth/testing';
import type { RawClient } from '../client.ts';
import { consumable } from './consumable.ts';
import type { Operation } from './document.ts';
import type { Facts } from './facts.ts';

const endpoints = '/v1/webhook_endpoints';
const deliveries = '/v1/webhook_deliveries';

/** Facts of `callback_url` and `callback_secret`. `receiver` responds to every POST. */
export function callbackFacts(operation: string, receiver: string) {
	return {
		known: {
			[`${operation} callback_url`]: [receiver],
			[`${operation} callback_secret`]: secrets,
		},
		spellings: { [`${operation} callback_url`]: isAddress },
		bodyRules: {
			[operation]: ({ callback_url: url, callback_secret: secret }) =>
				(secret ?? undefined) === undefined || (url ?? undefined) !== undefined,
		},
	} satisfies Partial<Facts>;
}

/** Facts of the webhook operations: an endpoint at `receiver`, and a delivery to it. */
export async function webhookFacts(client: RawClient, otherTenant: RawClient, receiver: string) {
	const types = (await client.json<{ data: string[] }>('/v1/webhook_event_types')).data;
	const make = async (owner: RawClient) => {
		const fields = { name: 'fuzz', url: receiver, event_types: types };
		return ((await (await owner.post(endpoints, fields)).json()) as { id: string }).id;
	};
	const endpoint = await make(client);
	const ofOtherTenant = await make(otherTenant);
	const deletable = consumable(() => make(client));
	return {
		known: {
			[`POST ${endpoints} url`]: [receiver],
			[`POST ${endpoints} event_types`]: types,
			[`POST ${endpoints}/{id} url`]: [receiver],
			[`POST ${endpoints}/{id} event_types`]: types,
			[`POST ${endpoints}/{id}/test event_type`]: types,
		},
		spellings: {
			[`POST ${endpoints} url`]: isAddress,
			[`POST ${endpoints}/{id} url`]: isAddress,
		},
		tolerated: ['endpoints', 'deliveries'].map((list) => ({
			at: `GET /v1/webhook_${list} after`,
			value: '',
			means: undefined,
			reason: 'the SDK spells a position that is null as nothing',
		})),
		async live({ name, path }: Operation) {
			if (path.startsWith(deliveries)) return delivered(client, endpoint);
			return name === `DELETE ${endpoints}/{id}` ? deletable.id() : endpoint;
		},
		absent({ path }: Operation): readonly string[] {
			if (path.startsWith(deliveries)) return [`whd_${'0'.repeat(44)}`, endpoint, 'whd_', '0'];
			return [`whe_${'0'.repeat(44)}`, ofOtherTenant, endpoint.toUpperCase(), `${endpoint}0`, 'whe_'];
		},
		async clear({ name }: Operation, status: number, body: unknown) {
			if (name === `DELETE ${endpoints}/{id}` && status === 200) deletable.markUsed();
			if (name !== `POST ${endpoints}` || status !== 200) return;
			await client.send(`${endpoints}/${(body as { id: string }).id}`, { method: 'DELETE' });
		},
	};
}

const secrets = [24, 64].map((bytes) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`);

/**
 * Where private addresses are allowed, any http URL is accepted. All generated URLs are spellings of the receiver's.
 */
function isAddress(text: string): boolean {
	const url = URL.parse(text);
	return url !== null && /^https?:$/.test(url.protocol) && `${url.username}${url.password}` === '';
}

/** The id of a delivery to an endpoint. The first delivery is made shortly after the first job has completed. */
async function delivered(client: RawClient, endpoint: string): Promise<string> {
	let id: string | undefined;
	await eventually('something is delivered', async () => {
		const path = `${deliveries}?limit=1&webhook_endpoint_id=${endpoint}`;
		id = (await client.json<{ data: readonly { id: string }[] }>(path)).data[0]?.id;
		return id !== undefined;
	});
	return id ?? '';
}
