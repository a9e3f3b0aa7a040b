export type { SpeechModelSubject, SpeechModelSuiteOptions } from './subject.ts';
export { speechModelSuite } from './suite.ts';
