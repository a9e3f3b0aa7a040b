/** What ComfyUI's `/object_info` says of a class, as far as the validation of a prompt reads it. */
export interface NodeClass {
	/** Inputs that must be there. */
	readonly required: Readonly<Record<string, InputType>>;
	readonly optional?: Readonly<Record<string, InputType>>;
	/** Whether the class saves or shows something. */
	readonly isOutput?: boolean;
}

type InputType = readonly [type: string, bounds?: { readonly min: number; readonly max: number }];

const int = (min: number, max: number): InputType => ['INT', { min, max }];
const text: InputType = ['STRING'];
const seed = int(0, 2 ** 53);
const steps = int(1, 10_000);
const side = int(16, 16_384);
const links = (...names: string[]) => Object.fromEntries(names.map((name) => [name, ['LINK'] as const]));

/** The classes of the workflows in `workflows`. */
export const classes: Readonly<Record<string, NodeClass>> = {
	BasicGuider: { required: links('model', 'conditioning') },
	BasicScheduler: { required: { ...links('model'), scheduler: text, steps } },
	CFGNorm: { required: links('model') },
	CLIPLoader: { required: { clip_name: text } },
	CLIPTextEncode: { required: { ...links('clip'), text } },
	CreateVideo: { required: links('images') },
	DualCLIPLoader: { required: { clip_name1: text, clip_name2: text } },
	EmptyHunyuanLatentVideo: { required: { width: side, height: side, length: int(1, 16_384) } },
	EmptySD3LatentImage: { required: { width: side, height: side } },
	FluxGuidance: { required: links('conditioning') },
	ImageScaleToTotalPixels: { required: links('image') },
	KSampler: { required: { ...links('model', 'positive', 'negative', 'latent_image'), seed, steps } },
	KSamplerSelect: { required: { sampler_name: text } },
	LoadImage: { required: { image: text } },
	LoadImageMask: { required: { image: text, channel: text } },
	ModelSamplingAuraFlow: { required: links('model') },
	ModelSamplingFlux: { required: { ...links('model'), width: side, height: side } },
	ModelSamplingSD3: { required: links('model') },
	PreviewImage: { required: links('images'), isOutput: true },
	RandomNoise: { required: { noise_seed: seed } },
	SamplerCustomAdvanced: { required: links('noise', 'guider', 'sampler', 'sigmas', 'latent_image') },
	SaveImage: { required: { ...links('images'), filename_prefix: text }, isOutput: true },
	SaveVideo: { required: { ...links('video'), filename_prefix: text }, isOutput: true },
	TextEncodeQwenImageEditPlus: {
		required: { ...links('clip'), prompt: text },
		optional: links('vae', 'image1', 'image2', 'image3'),
	},
	UNETLoader: { required: { unet_name: text } },
	VAEDecode: { required: links('samples', 'vae') },
	VAEEncode: { required: links('pixels', 'vae') },
	VAELoader: { required: { vae_name: text } },
	VHS_VideoCombine: { required: { ...links('images'), filename_prefix: text }, isOutput: true },
};
