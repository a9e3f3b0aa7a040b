import type { ApiDocument } from '../../api.ts';
import { callOf } from './call/call.ts';
import type { Desk } from './desk/desk.ts';
import type { Offer } from './spec/capabilities.ts';
import { type Facts, fieldsForModel } from './spec/facts.ts';
import { type FieldSpec, fieldsOf } from './spec/fields.ts';

/** The fields of a form for its chosen model, and the call with its current values. */
export interface Bench {
	readonly fields: readonly FieldSpec[];
	readonly facts: Facts;
	/** The call with the current values. */
	readonly call: ReturnType<typeof callOf>;
}

/** The fields and the call of an offer with the current values. */
export function benchOf(document: ApiDocument, { capability, models }: Offer, desk: Desk<unknown>): Bench {
	const { values, files } = { values: desk.values.value, files: desk.files.value };
	const ids = models.map(({ id }) => id);
	const model = models.find(({ id }) => id === values.model) ?? models[0];
	const facts = model?.capabilities ?? {};
	const shownFields = fieldsOf(document, capability.path).filter(({ name }) => !capability.hidden?.includes(name));
	const fields = fieldsForModel(shownFields, facts).map((field) =>
		field.name === 'model' && model
			? { ...field, kind: 'choice' as const, options: ids, hint: model.description ?? field.hint }
			: field,
	);
	return { fields, facts, call: callOf(capability, fields, { values, files }) };
}
