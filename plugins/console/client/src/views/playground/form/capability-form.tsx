import type { ComponentChildren } from 'preact';
import type { ApiError } from '../../../api.ts';
import { Button, Fold, Form } from '../../../components.ts';
import { problemOf } from '../call/call.ts';
import type { Desk } from '../desk/desk.ts';
import { MaskField } from '../mask/mask-field.tsx';
import type { Capability, Values } from '../spec/capabilities.ts';
import type { FieldSpec } from '../spec/fields.ts';
import { SchemaField } from './schema-field.tsx';
import { labelOf } from './words.ts';

interface CapabilityFormProps {
	readonly capability: Capability;
	/** The fields for the chosen model. */
	readonly fields: readonly FieldSpec[];
	readonly desk: Desk<unknown>;
	/** The error of the newest run, if the server refused its values. */
	readonly error: ApiError | undefined;
	readonly onSubmit: () => void;
	/** More buttons, such as one that stops the work. */
	readonly actions?: ComponentChildren;
	/** The content above the fields. */
	readonly children?: ComponentChildren;
}

/** A form whose fields come from the server's API description. */
export function CapabilityForm(props: CapabilityFormProps) {
	const { capability, fields, desk, onSubmit, actions, children } = props;
	const error = desk.problem.value ?? props.error;
	const main = capability.main.flatMap((name) => fields.filter((field) => field.name === name));
	// The other fields are hidden, because few users need them. They are shown when one of them has an error.
	const rest = fields.filter(({ name }) => !capability.main.includes(name));
	const isWrong = rest.some(({ name }) => name === error?.param?.replace(/[.[].*$/s, ''));
	const textIn = (values: Values, name: string) => String(values[name] ?? '');
	const set = rest.filter(({ name }) => textIn(desk.values.value, name) !== textIn(capability.example, name));
	const submit = () => {
		desk.problem.value = problemOf(fields, desk.values.value);
		if (!desk.problem.value) onSubmit();
	};
	const show = (field: FieldSpec) =>
		field.name === 'mask' ? (
			<MaskField key="mask" field={field} desk={desk} />
		) : (
			<SchemaField key={field.name} field={field} desk={desk} isLong={capability.long?.includes(field.name) ?? false} />
		);
	const setText = set.length > 0 && <span class="hint"> · set: {set.map(({ name }) => labelOf(name)).join(', ')}</span>;
	const summary = <>More options{setText}</>;
	return (
		<Form onSubmit={submit} error={error} label={capability.title}>
			{children}
			{main.map(show)}
			{rest.length > 0 && (
				<Fold summary={summary} opens={isWrong}>
					<div class="form">{rest.map(show)}</div>
				</Fold>
			)}
			<div class="row playground-submit">
				<Button type="submit" look="primary" icon="playground">
					{capability.verb}
				</Button>
				{actions}
			</div>
		</Form>
	);
}
