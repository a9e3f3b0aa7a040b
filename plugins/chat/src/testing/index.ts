export type { ChatModelSubject, ChatModelSuiteOptions } from './subject.ts';
export { chatModelSuite } from './suite.ts';
