import { defineRoute, errorFrom, errors, type Route } from '@plinth/core';
import { listErrors, listPage } from '@plinth/toolkit';
import { type FileContext, findFile } from '../context.ts';
import { fileErrors } from '../errors.ts';
import { idParams, listQuery, maxPage } from '../fields.ts';
import { pageOf } from '../list.ts';
import { fileDeletedSchema, fileListSchema, fileSchema, toFile } from '../wire.ts';

/** `GET /v1/files/{id}`. */
export function getFile(context: FileContext): Route {
	return defineRoute({
		method: 'GET',
		path: '/v1/files/{id}',
		scope: 'files:read',
		summary: 'Get the metadata of a file',
		params: idParams,
		response: { description: 'The file.', schema: fileSchema },
		errors: [fileErrors.E_FILE_NOT_FOUND, errors.E_STORE_UNAVAILABLE],
		async handler({ params }, { principal }) {
			return toFile(await findFile(context, principal.tenant, params.id));
		},
	});
}

/** `GET /v1/files`: a page by creation time. `after` is a position and need not exist. */
export function listFiles({ records, clock }: FileContext): Route {
	return defineRoute({
		method: 'GET',
		path: '/v1/files',
		scope: 'files:read',
		summary: 'List files',
		query: listQuery,
		response: { description: 'One page of files.', schema: fileListSchema },
		errors: listErrors,
		async handler({ query: { after, limit, order, purpose } }, { principal }) {
			const pageOptions = { after, limit: Math.min(limit, maxPage), order, purpose };
			const page = await pageOf(records, principal.tenant, pageOptions, clock.now());
			const data = page.files.map(toFile);
			return listPage(data, page.hasMore);
		},
	});
}

/** `DELETE /v1/files/{id}`: effective for every later request. */
export function deleteFile(context: FileContext): Route {
	return defineRoute({
		method: 'DELETE',
		path: '/v1/files/{id}',
		scope: 'files:write',
		summary: 'Delete a file',
		params: idParams,
		response: { description: 'The file was deleted.', schema: fileDeletedSchema },
		errors: [fileErrors.E_FILE_NOT_FOUND, errors.E_STORE_UNAVAILABLE],
		async handler({ params: { id } }, { principal }) {
			const file = await findFile(context, principal.tenant, id);
			if (!(await context.store.remove(file))) throw errorFrom(fileErrors, 'E_FILE_NOT_FOUND');
			return { id, object: 'file', deleted: true };
		},
	});
}
