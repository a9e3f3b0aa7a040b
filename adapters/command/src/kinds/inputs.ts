import { plinthError, unsupportedValue } from '@plinth/core';
import { placeholdersIn, requiredIn, type Template } from '../protocol/argv.ts';

/** Checks a client's file against the placeholders of a plain program. Throws 400 errors that name `param`. */
export function checkFile(template: Template, name: string, param: string, isSent: boolean): void {
	if (isSent && !placeholdersIn(template).has(name)) {
		throw unsupportedValue(param, `This model does not take ${param}.`);
	}
	if (!isSent && requiredIn(template).has(name)) {
		throw plinthError('E_VALUE_MISSING', { param, message: `This model needs ${param}.` });
	}
}

/** A file name with the extension of a media type: `reference.png`. */
export function fileName(stem: string, mediaType: string): string {
	const subtype = mediaType.split('/').at(-1) ?? '';
	return /^[a-z0-9]{1,10}$/.test(subtype) ? `${stem}.${subtype}` : stem;
}
