import { serveJobs } from '../serve-jobs.ts';
import { search } from './search.ts';

/** The module of a thread that searches. */
export default serveJobs(search);
