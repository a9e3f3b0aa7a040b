import { serveJobs } from '../serve.ts';
import type { DrawJobs } from './jobs.ts';
import { paintPicture } from './paint.ts';

serveJobs<DrawJobs>({
	draw: (job, { check, report }) => paintPicture(job, check, report),
});
