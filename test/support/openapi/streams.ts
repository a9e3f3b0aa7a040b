import type { RawClient } from '../client.ts';
import type { Facts } from './facts.ts';

/** What exists for the operations that follow jobs: positions in the log, which the stream of a video that has ended tells. */
export async function streamFacts(client: RawClient, completed: string) {
	const answer = await client.send(`/v1/videos/${completed}/events`);
	const positions = [...(await answer.text()).matchAll(/^id: (.+)$/gm)].map(([, id = '']) => id);
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
