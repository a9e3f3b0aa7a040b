export type { ImageModelSubject, ImageModelSuiteOptions } from './subject.ts';
export { imageModelSuite } from './suite.ts';
