export type { TranscriptionModelSubject, TranscriptionModelSuiteOptions } from './subject.ts';
export { transcriptionModelSuite } from './suite.ts';
