/** What runs in the worker process: decodes pictures, one at a time. */
import { serveTasks } from '@plinth/toolkit/processes/child';
import { beginningOf } from '../input.ts';
import { restrictLoaders } from '../loaders.ts';
import { openPicture, perform } from '../picture.ts';
import { maxWorkerBytes, type Request } from './messages.ts';

restrictLoaders();
await serveTasks(
	async (request, body) => {
		const { task, path } = request as Request;
		const image = path === undefined ? body : { path };
		const picture = await openPicture(image, await beginningOf(image));
		const { data, ...value } = { data: undefined, ...(await perform(picture, task)) };
		return { value, body: data };
	},
	{ maxBytes: maxWorkerBytes },
);
