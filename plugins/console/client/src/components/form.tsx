import { type Signal, useSignal } from '@preact/signals';
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import type { ApiError } from '../api.ts';
import { ErrorNote } from './notes.tsx';

interface FormState {
	readonly error: ApiError | undefined;
	/** The parameters of the fields of this form. */
	readonly params: Signal<readonly string[]>;
}

const FormContext = createContext<FormState | undefined>(undefined);

/** Whether the `param` of an error belongs to a field: `messages[1].content` belongs to `messages`. */
function belongsTo(error: ApiError | undefined, param: string | undefined): boolean {
	if (!error?.param || param === undefined) return false;
	const rest = error.param.startsWith(param) ? error.param.slice(param.length) : undefined;
	return rest !== undefined && (rest === '' || /^[.[]/.test(rest));
}

interface FormProps {
	readonly children: ComponentChildren;
	readonly onSubmit: () => void;
	/** The error of the last attempt. It is shown at the field of its `param`, or above the form. */
	readonly error?: ApiError | undefined;
	readonly label?: string;
}

/** A form. After an error the first wrong field gets the focus. */
export function Form({ children, onSubmit, error, label }: FormProps) {
	const form = useRef<HTMLFormElement>(null);
	const params = useSignal<readonly string[]>([]);
	useEffect(() => {
		if (error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
	}, [error]);
	const submit = (event: Event) => {
		event.preventDefault();
		onSubmit();
	};
	const isShownAtField = params.value.some((param) => belongsTo(error, param));
	return (
		<FormContext.Provider value={{ error, params }}>
			<form ref={form} class="form" aria-label={label} noValidate onSubmit={submit}>
				{error && !isShownAtField && <ErrorNote error={error} />}
				{children}
			</form>
		</FormContext.Provider>
	);
}

interface ControlProps {
	readonly id: string;
	readonly 'aria-describedby': string | undefined;
	readonly 'aria-invalid': boolean;
	readonly 'aria-required': boolean;
}

/** The properties of a field. */
export interface FieldProps {
	readonly label: string;
	/** The name of the parameter in the API. Errors with this `param` are shown here. */
	readonly param?: string;
	readonly hint?: ComponentChildren;
	readonly required?: boolean;
	/** The label is after the control, as with checkboxes. */
	readonly inline?: boolean;
}

/** A label, a control, a hint, and the error of its parameter. */
export function Field({
	label,
	param,
	hint,
	required = false,
	inline = false,
	children,
}: FieldProps & { readonly children: (control: ControlProps) => ComponentChildren }) {
	const id = useId();
	const form = useContext(FormContext);
	const params = form?.params;
	useLayoutEffect(() => {
		if (!params || param === undefined) return;
		params.value = [...params.peek(), param];
		return () => {
			params.value = params.peek().filter((each) => each !== param);
		};
	}, [params, param]);
	const errorText = belongsTo(form?.error, param) ? form?.error?.message : undefined;
	const described = [hint ? `${id}-hint` : '', errorText ? `${id}-error` : ''].filter(Boolean).join(' ');
	const control = {
		id,
		'aria-describedby': described || undefined,
		'aria-invalid': errorText !== undefined,
		'aria-required': required,
	};
	return (
		<div class={`field ${inline ? 'inline' : ''}`}>
			{inline && children(control)}
			<label for={id}>
				{label}
				{required && <span class="required"> (required)</span>}
			</label>
			{!inline && children(control)}
			{hint && (
				<p class="hint" id={`${id}-hint`}>
					{hint}
				</p>
			)}
			{errorText && (
				<p class="error-text" id={`${id}-error`} role="alert">
					{errorText}
				</p>
			)}
		</div>
	);
}
