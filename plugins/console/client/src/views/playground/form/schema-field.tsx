import { CheckField, ChecksField, FileField, SelectField, TextField } from '../../../components.ts';
import { defaultOption } from '../call/call.ts';
import type { Desk } from '../desk/desk.ts';
import type { FieldSpec } from '../spec/fields.ts';
import { labelOf } from './words.ts';

interface SchemaFieldProps {
	readonly field: FieldSpec;
	readonly desk: Desk<unknown>;
	/** Whether the text has several lines. */
	readonly isLong: boolean;
}

/** The field for a parameter. */
export function SchemaField({ field, desk, isLong }: SchemaFieldProps) {
	const { name, kind, required, hint, options, suggestions, fallback, isMultiple } = field;
	const value = desk.values.value[name];
	const text = typeof value === 'string' ? value : '';
	const onInput = (entered: string | boolean | readonly string[]) => desk.set(name, entered);
	const shared = { label: labelOf(name), param: name, required, hint: hintOf(field, hint) };
	const entry = { ...shared, value: text, onInput, placeholder: fallback === undefined ? '' : String(fallback) };
	if (kind === 'check') {
		const checked = typeof value === 'boolean' ? value : fallback === true;
		return <CheckField {...shared} value={checked} onInput={onInput} />;
	}
	if (kind === 'checks') {
		return <ChecksField {...shared} options={options} value={Array.isArray(value) ? value : []} onInput={onInput} />;
	}
	if (kind === 'file') {
		const files = desk.files.value[name] ?? [];
		return <FileField {...shared} value={files} multiple={isMultiple} onInput={(list) => setFiles(desk, name, list)} />;
	}
	if (kind === 'choice') {
		const chosen = options.includes(text) ? text : required || fallback !== undefined ? defaultOption(field) : '';
		const unset = required || fallback !== undefined ? [] : [['', 'Not set'] as const];
		return <SelectField {...shared} value={chosen ?? ''} options={[...unset, ...options]} onInput={onInput} />;
	}
	if (kind === 'json') return <TextField {...entry} rows={3} placeholder="JSON" />;
	if (isLong) return <TextField {...entry} rows={name === 'instructions' ? 2 : 4} />;
	return <TextField {...entry} {...(suggestions.length > 0 && { suggestions })} />;
}

/** Sets files. Another picture removes the mask that was drawn on the previous one. */
function setFiles(desk: Desk<unknown>, name: string, files: readonly File[]): void {
	desk.setFiles(name, files);
	if (name === 'image') desk.setFiles('mask', []);
}

/** The description of a parameter, followed by its bounds. */
function hintOf({ minimum, maximum }: FieldSpec, hint: string | undefined): string | undefined {
	const large = 1_000_000_000;
	const bounds =
		minimum !== undefined && maximum !== undefined && maximum < large
			? `${minimum} to ${maximum}.`
			: minimum !== undefined
				? `At least ${minimum}.`
				: '';
	return [hint, bounds].filter(Boolean).join(' ') || undefined;
}
