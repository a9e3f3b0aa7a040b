import { defineRoute, errors, plinthError, type Route, type RouteDefinition } from '@plinth/core';
import { idParams } from '../fields.ts';

/** OpenAI's operations that this server does not offer. Explicit routes give SDKs a clear error. */
export function unsupportedRoutes(): readonly Route[] {
	const remix = 'POST /v1/videos/{id}/remix makes a variation of a video.';
	const characters = 'This server has no characters.';
	const paths = [
		['/v1/videos/edits', 'Edit a video', `Videos cannot be edited here. ${remix}`],
		['/v1/videos/extensions', 'Extend a video', `Videos cannot be extended here. ${remix}`],
		['/v1/videos/characters', 'Create a character', characters],
		['/v1/videos/characters/{id}', 'Get a character', characters],
	] as const;
	return paths.flatMap(([path, summary, message]) =>
		(['GET', 'POST', 'DELETE'] as const).map((method) => unsupported(method, path, summary, message)),
	);
}

function unsupported(
	method: 'GET' | 'POST' | 'DELETE',
	path: RouteDefinition['path'],
	summary: string,
	message: string,
): Route {
	return defineRoute({
		method,
		path,
		scope: method === 'GET' ? 'videos:read' : 'videos:write',
		summary: `${summary} (not offered)`,
		...(path.includes('{id}') ? { params: idParams } : {}),
		response: { status: 404, description: 'Always 404 unsupported_operation.' },
		errors: [errors.E_OPERATION_UNSUPPORTED],
		handler() {
			throw plinthError('E_OPERATION_UNSUPPORTED', { message });
		},
	});
}
