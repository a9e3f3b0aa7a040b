import { serveJobs } from '../../serve.ts';
import { applyJob } from './apply.ts';
import type { EditJobs } from './jobs.ts';
import { memoryOf } from './own.ts';

serveJobs<EditJobs>({
	edit: async (job, { check, report, give }) => {
		const edited = await applyJob(job, {
			check,
			report: (picture) => report(picture, memoryOf([picture.data])),
		});
		for (const memory of memoryOf([edited.picture.data])) give(memory);
		return edited;
	},
});
