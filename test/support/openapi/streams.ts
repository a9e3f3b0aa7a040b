import type { RawClient } from '../client.ts';
import type { Facts } from './facts.ts';

/** Facts of the event operations: positions in the log, read from the stream of a completed video. */
export async function streamFacts(client: RawClient, completed: string) {
	const response = await client.send(`/v1/videos/${completed}/events`);
	const positions = [...(await response.text()).matchAll(/^id: (.+)$/gm)].map(([, id = '']) => id);
	if (positions.length === 0) throw new Error('The stream of a video has no event with an id.');
	return {
		known: {
			'GET /v1/events kind': ['video'],
			'GET /v1/events Last-Event-ID': positions,
			'GET /v1/videos/{id}/events Last-Event-ID': positions,
		},
		endless: ['GET /v1/events'],
	} satisfies Partial<Facts>;
}
