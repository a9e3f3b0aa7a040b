import { defineRoute, errors, type Route } from '@plinth/core';
import { listErrors, listPage } from '@plinth/toolkit';
import { findVideo, type VideoContext, videoOf, videoReply, withVideoErrors } from '../context.ts';
import { videoErrors } from '../errors.ts';
import { idParams, listQuery } from '../fields.ts';
import { pollHeader, videoDeletedSchema, videoListSchema, videoSchema } from '../wire.ts';

/** `GET /v1/videos/{id}`. */
export function getVideo(context: VideoContext): Route {
	return defineRoute({
		method: 'GET',
		path: '/v1/videos/{id}',
		scope: 'videos:read',
		summary: 'Get a video job',
		params: idParams,
		response: { description: 'The job as it is now.', schema: videoSchema, headers: pollHeader },
		errors: [videoErrors.E_VIDEO_NOT_FOUND, errors.E_STORE_UNAVAILABLE],
		async handler({ params }, call) {
			return videoReply(context, await findVideo(context, call.principal.tenant, params.id), call);
		},
	});
}

/** `GET /v1/videos`: a page by creation time. `after` is a position and need not exist. */
export function listVideos(context: VideoContext): Route {
	return defineRoute({
		method: 'GET',
		path: '/v1/videos',
		scope: 'videos:read',
		summary: 'List video jobs',
		query: listQuery,
		response: { description: 'One page of jobs.', schema: videoListSchema },
		errors: listErrors,
		async handler({ query: { after, limit, order } }, call) {
			const page = await context.jobs.list(call.principal.tenant, {
				limit,
				order,
				...(after === undefined ? {} : { after }),
			});
			const data = await Promise.all(page.jobs.map((job) => videoOf(context, job, call)));
			return listPage(data, page.hasMore);
		},
	});
}

/** `DELETE /v1/videos/{id}`: cancels running work and deletes the job. */
export function deleteVideo({ jobs }: VideoContext): Route {
	return defineRoute({
		method: 'DELETE',
		path: '/v1/videos/{id}',
		scope: 'videos:write',
		summary: 'Cancel and delete a video job',
		params: idParams,
		response: { description: 'The job was deleted.', schema: videoDeletedSchema },
		errors: [videoErrors.E_VIDEO_NOT_FOUND, errors.E_STORE_UNAVAILABLE],
		async handler({ params: { id } }, { principal }) {
			await withVideoErrors(id, () => jobs.remove(principal.tenant, id));
			return { id, object: 'video.deleted', deleted: true };
		},
	});
}
