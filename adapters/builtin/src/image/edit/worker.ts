import { serveJobs } from '../../serve.ts';
import { applyJob } from './apply.ts';
import type { EditJobs } from './jobs.ts';
import { memoryOf } from './own.ts';

serveJobs<EditJobs>({
	edit: async (job, { check, report, give }) => {
		const edited = await applyJob(job, {
			check,
			report: (picture) => report(picture, memoryOf([picture])),
		});
		for (const memory of memoryOf([edited.picture])) give(memory);
		return edited;
	},
});
