/** A model as `/v1/models` returns it. */
export interface Model {
	readonly id: string;
	readonly owned_by: string;
	readonly description?: string;
	readonly kind?: string;
	readonly aliases?: readonly string[];
	readonly health: 'up' | 'trying' | 'down';
	readonly capabilities?: Readonly<Record<string, unknown>>;
	readonly price?: Readonly<Record<string, string | number>>;
	readonly group?: { readonly id: string; readonly state: 'unloaded' | 'loaded' | 'busy'; readonly waiting: number };
}

/** The response of `/v1/models`. */
export interface ModelList {
	readonly data: readonly Model[];
}

/**
 * The owner, aliases, capabilities and prices of a model of any kind, as texts by name. Names without values
 * are left out.
 */
export function factsOf(model: Model): Readonly<Record<string, readonly string[]>> {
	const { owned_by: owner, aliases = [], capabilities = {}, price = {} } = model;
	const { currency, ...amounts } = price;
	const abilities = Object.entries(capabilities).map(([name, value]) => [words(name), valuesOf(value)] as const);
	const prices = Object.entries(amounts).map(
		([name, amount]) => [`price ${words(name)}`, [`${amount} ${currency ?? ''}`.trim()]] as const,
	);
	const all = [['owned by', [owner]] as const, ['aliases', aliases] as const, ...abilities, ...prices];
	return Object.fromEntries(all.filter(([, values]) => values.length > 0));
}

function valuesOf(value: unknown): readonly string[] {
	if (Array.isArray(value)) return value.map(textOf);
	if (typeof value === 'object' && value !== null) {
		return Object.entries(value).map(([name, member]) => `${words(name)}: ${textOf(member)}`);
	}
	return [textOf(value)];
}

function textOf(value: unknown): string {
	if (typeof value === 'boolean') return value ? 'yes' : 'no';
	return typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value);
}

/** `input_images` and `perSecond` as words. */
function words(name: string): string {
	return name
		.replace(/([a-z])([A-Z])/g, '$1 $2')
		.replaceAll('_', ' ')
		.toLowerCase();
}
