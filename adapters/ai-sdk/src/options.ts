import { z } from 'zod';

/** A number or its text: in YAML configs, the value of `${NAME}` is a string. */
export const number = () => z.coerce.number<number | string>();
/** A boolean or its text. */
export const flag = () => z.union([z.boolean(), z.stringbool({ truthy: ['true'], falsy: ['false'] })]);
/** At least one value. */
export const list = <T extends z.ZodType>(item: T) => z.array(item).min(1);
/** For `/v1/models`. */
export const description = 'A model of an AI SDK provider.';

/** The common members of all models, in both versions of the specification. */
export type ProviderModel = { specificationVersion: 'v3' | 'v4'; provider: string; modelId: string };

/** The options of every kind and `more`, for models of type `M`. A model object is accepted in their place. */
export const configFor =
	<M extends ProviderModel>() =>
	<S extends z.ZodRawShape>(more: S) => {
		const config = z.strictObject({
			/** The package, such as `@ai-sdk/replicate`. A suffix `#createName` selects one of several functions. */
			provider: z.string().min(1).optional(),
			/** The provider's name of the model. In TypeScript also a model object, without `provider`. */
			model: z.union([z.string().min(1), z.custom<M>(isModel, 'Expected the name of a model, or a model object')]),
			/** The options of the package's `create…` function, such as `apiKey` and `baseURL`. */
			options: z.record(z.string(), z.unknown()).default({}),
			/** Sent with every call: `{ openai: { quality: high } }`. */
			providerOptions: z.record(z.string(), z.record(z.string(), z.json())).default({}),
			...more,
		});
		const read = z.preprocess((value) => (isModel(value) ? { model: value } : value), config);
		// The input of `preprocess` is unknown.
		return read as unknown as z.ZodType<z.output<typeof config>, M | z.input<typeof config>>;
	};

/** Whether a value is a model object of a supported version. */
export function isModel(value: unknown): value is ProviderModel {
	const { specificationVersion: version, modelId } = (value ?? {}) as Partial<ProviderModel>;
	return typeof modelId === 'string' && (version === 'v3' || version === 'v4');
}

/** Providers accept only signed 32-bit integers. */
export const signed = (seed: number) => seed & 0x7fff_ffff;
