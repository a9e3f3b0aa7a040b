/** The entry point of the worker process, which decodes pictures one at a time. */
import { serveTasks } from '@plinth/toolkit/processes/child';
import { readImageHead } from '../input.ts';
import { restrictLoaders } from '../loaders.ts';
import { openPicture, runTask } from '../picture.ts';
import { maxWorkerBytes, type WorkerRequest } from './messages.ts';

restrictLoaders();
await serveTasks(
	async (request, body) => {
		const { task, path } = request as WorkerRequest;
		const image = path === undefined ? body : { path };
		const picture = await openPicture(image, await readImageHead(image));
		const { data, ...value } = { data: undefined, ...(await runTask(picture, task)) };
		return { value, body: data };
	},
	{ maxBytes: maxWorkerBytes },
);
