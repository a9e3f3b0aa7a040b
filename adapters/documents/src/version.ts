import { version } from '@plinth/core';
import type { OcrSettings } from './pool/messages.ts';

/** Raised by whoever changes what comes out for the same bytes. */
const revision = 2;

/** The version of a reader: another one for other languages too. */
export function versionWith(ocr: OcrSettings | undefined): string {
	return [version, revision, ...(ocr?.languages ?? [])].join('+');
}
