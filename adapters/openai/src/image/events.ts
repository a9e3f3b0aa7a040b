import type { ImageResult, ImageRun } from '@plinth/plugin-image/model';
import { invalidResponse } from '../upstream/failure.ts';
import { longJson } from '../upstream/long-json.ts';
import { members } from '../upstream/reported-error.ts';
import type { UpstreamResponse } from '../upstream/response.ts';
import { eventsOf } from '../upstream/sse.ts';
import { base64Bytes, failureIn, pictureIn, qualityAndUsage, type ResultTools } from './result.ts';

/** Reads the events of one picture. `show` receives partial pictures; the completed event ends the reading. */
export async function streamedResult(
	answer: UpstreamResponse,
	show: ImageRun['partial'],
	tools: ResultTools,
): Promise<ImageResult> {
	for await (const { data } of eventsOf(answer, base64Bytes)) {
		if (data.toString('latin1', 0, 6) === '[DONE]') break;
		const json = longJson(data, answer.where);
		const { type, error, ...rest } = members(json.value);
		if (error) throw failureIn(json.value, answer);
		const kind = typeof type === 'string' ? type.split('.').at(-1) : undefined;
		if (kind === 'partial_image') show(await pictureIn(json.value, json, answer, tools));
		if (kind === 'completed') {
			return { images: [await pictureIn(json.value, json, answer, tools)], ...qualityAndUsage(rest) };
		}
	}
	throw invalidResponse(answer.where, 'ended its events without a finished picture');
}
