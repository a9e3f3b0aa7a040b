import { serveJobs } from '../../serve.ts';
import { applyJob } from './apply.ts';
import type { Bitmap } from './bitmap.ts';
import type { EditJobs } from './jobs.ts';
import { share } from './share.ts';

serveJobs<EditJobs>({
	edit: async (job, { check, report }) => {
		const edited = await applyJob(job, {
			check,
			report: (picture: Bitmap) => report(share(picture)),
		});
		return { ...edited, picture: share(edited.picture) };
	},
});
