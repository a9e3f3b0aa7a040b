export { type Mp4Facts, smallMp4 } from './mp4.ts';
export type { VideoModelSubject, VideoModelSuiteOptions } from './subject.ts';
export { videoModelSuite } from './suite.ts';
