import { plinthError, unsupportedValue } from '@plinth/core';
import { placeholdersIn, requiredIn, type Template } from '../protocol/argv.ts';

/** Checks a file that a client may send against what a plain program takes. Throws 400 errors that name `param`. */
export function checkFile(template: Template, name: string, param: string, isSent: boolean): void {
	if (isSent && !placeholdersIn(template).has(name)) {
		throw unsupportedValue(param, `This model does not take ${param}.`);
	}
	if (!isSent && requiredIn(template).has(name)) {
		throw plinthError('E_VALUE_MISSING', { param, message: `This model needs ${param}.` });
	}
}

/** The name of a file whose ending is that of its media type: `reference.png`. */
export function fileName(stem: string, mediaType: string): string {
	const subtype = mediaType.split('/').at(-1) ?? '';
	return /^[a-z0-9]{1,10}$/.test(subtype) ? `${stem}.${subtype}` : stem;
}
