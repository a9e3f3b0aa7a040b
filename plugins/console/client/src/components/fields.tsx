import type { Signal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { Button } from './button.tsx';
import { Field, type FieldProps } from './form.tsx';

/** The value of a field, and the handler of its changes. */
interface Bound<T> {
	readonly value: T;
	readonly onInput: (value: T) => void;
}

/** Binds a field to a signal. */
export function bound<T>(signal: Signal<T>): Bound<T> {
	return {
		value: signal.value,
		onInput: (value) => (signal.value = value),
	};
}

/** Binds a field to a member of a signal. */
export function boundTo<T, N extends keyof T>(signal: Signal<T>, name: N): Bound<T[N]> {
	return {
		value: signal.value[name],
		onInput: (value) => (signal.value = { ...signal.value, [name]: value }),
	};
}

type TextProps = FieldProps & Bound<string> & { readonly placeholder?: string };

/** A field for text, with several lines if `rows` is set. Numbers are text too: the server checks them. */
export function TextField({
	value,
	onInput,
	placeholder,
	type = 'text',
	suggestions,
	rows,
	...field
}: TextProps & {
	readonly type?: 'text' | 'password' | 'url' | 'search' | 'number';
	/** Suggested texts. Any other text is possible. */
	readonly suggestions?: readonly string[];
	readonly rows?: number | undefined;
}) {
	const list = useId();
	const shared = { class: 'input', value, placeholder, spellcheck: rows !== undefined };
	return (
		<Field {...field}>
			{(control) =>
				rows !== undefined ? (
					<textarea
						{...control}
						{...shared}
						rows={rows}
						onInput={({ currentTarget }) => onInput(currentTarget.value)}
					/>
				) : (
					<>
						<input
							{...control}
							{...shared}
							// The types of Preact need one literal, because each type has its own roles.
							type={type as 'text'}
							autoComplete="off"
							list={suggestions && list}
							step="any"
							onInput={({ currentTarget }) => onInput(currentTarget.value)}
						/>
						{suggestions && (
							<datalist id={list}>
								{suggestions.map((each) => (
									<option key={each} value={each} />
								))}
							</datalist>
						)}
					</>
				)
			}
		</Field>
	);
}

/** An option: a value, or a value and its label. */
export type Option = string | readonly [value: string, label: string];

/** A field with a list of options. */
export function SelectField({
	value,
	onInput,
	options,
	...field
}: Omit<TextProps, 'placeholder'> & { readonly options: readonly Option[] }) {
	const pairs = options.map((option) => (typeof option === 'string' ? ([option, option] as const) : option));
	return (
		<Field {...field}>
			{(control) => (
				<select {...control} class="input" value={value} onChange={({ currentTarget }) => onInput(currentTarget.value)}>
					{pairs.map(([option, label]) => (
						<option key={option} value={option}>
							{label}
						</option>
					))}
				</select>
			)}
		</Field>
	);
}

/** A checkbox. */
export function CheckField({ value, onInput, ...field }: FieldProps & Bound<boolean>) {
	return (
		<Field {...field} inline>
			{(control) => (
				<input
					{...control}
					type="checkbox"
					checked={value}
					onChange={({ currentTarget }) => onInput(currentTarget.checked)}
				/>
			)}
		</Field>
	);
}

/** Checkboxes for several options. */
export function ChecksField({
	value,
	onInput,
	options,
	...field
}: FieldProps & Bound<readonly string[]> & { readonly options: readonly string[] }) {
	const toggle = (option: string) =>
		onInput(value.includes(option) ? value.filter((each) => each !== option) : [...value, option]);
	return (
		<Field {...field}>
			{({ id, 'aria-describedby': described, 'aria-invalid': isWrong }) => (
				<fieldset id={id} class="row" aria-describedby={described} aria-label={field.label}>
					{options.map((option) => (
						<label key={option}>
							<input
								type="checkbox"
								aria-invalid={isWrong}
								checked={value.includes(option)}
								onChange={() => toggle(option)}
							/>
							{option}
						</label>
					))}
				</fieldset>
			)}
		</Field>
	);
}

/** A field for files, chosen or dropped. Files can be removed; with `multiple`, further ones are added. */
export function FileField({
	value: files,
	onInput,
	multiple = false,
	...field
}: FieldProps & Bound<readonly File[]> & { readonly multiple?: boolean }) {
	const addFiles = (list: FileList | null | undefined) => {
		const added = [...(list ?? [])];
		if (added.length > 0) onInput(multiple ? [...files, ...added] : added.slice(0, 1));
	};
	const drop = (event: DragEvent) => {
		event.preventDefault();
		addFiles(event.dataTransfer?.files);
	};
	return (
		<Field {...field}>
			{(control) => (
				// biome-ignore lint/a11y/noStaticElementInteractions: dropping is an addition to the file input inside.
				<div class="drop" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
					<input
						{...control}
						type="file"
						multiple={multiple}
						onChange={({ currentTarget }) => {
							addFiles(currentTarget.files);
							// The list below shows the files. Without a value, a removed file can be chosen again.
							currentTarget.value = '';
						}}
					/>
					<ul class="file-names">
						{files.map((file, at) => (
							<li key={at} class="split">
								<span>{file.name}</span>
								<Button
									look="quiet"
									icon="close"
									iconOnly
									onClick={() => onInput(files.filter((_, each) => each !== at))}
								>
									{`Remove ${file.name}`}
								</Button>
							</li>
						))}
					</ul>
				</div>
			)}
		</Field>
	);
}
