import { type ConformanceCase, caseMaker } from './conformance.ts';
import { compositeCases } from './image-codec/composing.ts';
import { encodingCases } from './image-codec/encoding.ts';
import { fittingCases } from './image-codec/fitting.ts';
import { probingCases } from './image-codec/probing.ts';
import { refusingCases } from './image-codec/refusing.ts';
import { signalCases } from './image-codec/signals.ts';
import type { ImageCodecSubject } from './image-codec/subject.ts';
import { transcodingCases } from './image-codec/transcoding.ts';

/** The codec under test. */
export interface ImageCodecSuiteOptions {
	create(): Promise<ImageCodecSubject>;
}

/** Every sentence of the `ImageCodec` contract as a case. The suite or the codec's own `encode` makes the pictures. */
export function imageCodecSuite({ create }: ImageCodecSuiteOptions): ConformanceCase[] {
	const it = caseMaker(create);
	return [
		...probingCases(it),
		...refusingCases(it),
		...fittingCases(it),
		...encodingCases(it),
		...transcodingCases(it),
		...compositeCases(it),
		...signalCases(it),
	];
}
