import type { CollectionRef, JsonObject, PutOptions, RecordStore } from '@plinth/core';

/** Edits a record; repeats after a concurrent write. Null when unknown. No write when `edit` returns its input. */
export async function changeRecord<T extends JsonObject>(
	records: RecordStore,
	ref: CollectionRef,
	id: string,
	edit: (value: T) => T,
	optionsOf: (value: T) => Pick<PutOptions, 'index'> = () => ({}),
): Promise<T | null> {
	for (;;) {
		const stored = await records.get<T>(ref, id);
		if (!stored) return null;
		const value = edit(stored.value);
		if (value === stored.value) return value;
		const options = { ...optionsOf(value), ifVersion: stored.version };
		if ((await records.put(ref, id, value, options)) !== null) return value;
	}
}
