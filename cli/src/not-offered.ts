import type { App } from '@plinth/core';

/** The routes that only respond that the operation is not offered, such as `GET /v1/videos/edits`. */
export function notOffered(app: App): ReadonlySet<string> {
	const { paths } = app.openapi() as { paths: Record<string, Record<string, { summary?: string }>> };
	return new Set(
		Object.entries(paths).flatMap(([path, operations]) =>
			Object.entries(operations).flatMap(([method, { summary: text = '' }]) =>
				text.endsWith('(not offered)') ? [`${method.toUpperCase()} ${path}`] : [],
			),
		),
	);
}
