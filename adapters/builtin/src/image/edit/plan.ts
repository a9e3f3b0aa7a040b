import { type BoundedSize, clampSize, MAX_PIXELS, MAX_SIDE, type Size } from './bitmap.ts';
import { parsePrompt, type Understood } from './grammar/parse.ts';
import type { WantedPicture } from './grammar/verb.ts';
import type { Step } from './jobs.ts';
import { resizedSize, type SizeSpan } from './verbs/spans.ts';
import { findVerb, silentVerbs } from './verbs/table.ts';

/** How many pixels a result of unnamed size may have where the inputs need not be kept closely: 1.5 megapixels. */
const MAX_PIXELS_LOW = 1_572_864;

/** What an edit is planned from. */
export interface EditWish {
	readonly prompt: string;
	/** Of all pictures of the request, the one to edit first. */
	readonly sizes: readonly Size[];
	readonly masked: boolean;
	/** The size that was asked for. */
	readonly size?: Size;
	readonly fidelity: 'low' | 'high';
}

/** An edit, ready to be done. */
export interface EditPlan {
	/** The size that the picture (and its mask) is decoded in, by `cover`. */
	readonly base: Size;
	readonly steps: readonly Step[];
	/** Further pictures, each in the size that it is needed in. */
	readonly pictures: readonly WantedPicture[];
	/** The final size, where the operations change it on the way. */
	readonly finish?: Size;
	/** The prompt as it was understood. */
	readonly revisedPrompt: string;
	readonly warnings: readonly string[];
}

/**
 * Plans an edit. A size that was asked for is made before the operations, so that they work on what will be seen; only if they set
 * a size themselves is the result fitted into it at the end.
 */
export function planEdit(wish: EditWish): EditPlan {
	const parsed = parsePrompt(wish.prompt, findVerb, silentVerbs);
	const lacking = [...parsed.lacking];
	const operations = parsed.operations.filter((operation) => {
		const obstacle = obstacleOf(operation, wish);
		if (obstacle) lacking.push(`${operation.verb.name} ${obstacle}`);
		return !obstacle;
	});
	const warnings = [...parsed.notes, ...lacking.map((part) => `${part}.`)];
	const changesSize = operations.some(({ verb }) => verb.size);
	const start = startSize(wish, operations, changesSize);
	warnings.push(...start.warnings);
	const { steps, pictures, limited } = simulate(start.base, operations.slice(start.folded), wish);
	if (limited) warnings.push(LIMITED);
	if (parsed.operations.length === 0) warnings.push(HELP);
	return {
		base: start.base,
		steps,
		pictures,
		...(wish.size && changesSize && { finish: wish.size }),
		revisedPrompt: describe(operations, parsed.unknown, lacking),
		warnings: [...new Set(warnings)].slice(0, 12),
	};
}

const LIMITED = `The result is limited to ${MAX_SIDE} pixels a side and 8.3 megapixels.`;

const HELP =
	'Nothing in the prompt was understood as an operation, so the picture is unchanged. Possible are, for example: grayscale, sepia, blur 6, sharpen, brighten 20%, rotate 90, crop 16:9, round corners, border red, add text "…", remove background, replace background with blue, overlay image 2, collage.';

function obstacleOf({ verb, args }: Understood, { masked, sizes }: EditWish): string | undefined {
	if (masked && verb.size) return 'changes the size or shape and is not possible with a mask';
	if (!masked && verb.needsMask) return 'needs a mask';
	const wanted = verb.wants?.(sizes[0] as Size, args as never, sizes) ?? [];
	const absent = wanted.find(({ index }) => index >= sizes.length || index === 0);
	return absent && `needs image ${absent.index + 1}, which is not there`;
}

interface Start {
	readonly base: Size;
	/** How many operations at the beginning are done by decoding at another size. */
	readonly folded: number;
	readonly warnings: readonly string[];
}

function startSize(wish: EditWish, operations: readonly Understood[], changesSize: boolean): Start {
	const own = wish.sizes[0] as Size;
	if (wish.size && !changesSize) return { base: wish.size, folded: 0, warnings: [] };
	let base = own;
	let folded = 0;
	const warnings: string[] = [];
	for (const { verb, args, scope } of operations) {
		if (verb.name !== 'resize' || scope) break;
		const next = resizedSize(base, args.span as SizeSpan);
		if (next.limited) warnings.push(LIMITED);
		base = sizeOf(next);
		folded++;
	}
	if (folded > 0) return { base, folded, warnings };
	const most = wish.fidelity === 'low' && !wish.size ? MAX_PIXELS_LOW : MAX_PIXELS;
	base = sizeOf(clampSize(own, Number.POSITIVE_INFINITY, most));
	if (base.width !== own.width && !wish.size) {
		const remedy =
			wish.fidelity === 'low' ? ' input_fidelity high keeps up to 8.3 megapixels.' : '';
		warnings.push(
			`The picture was made smaller, from ${own.width}x${own.height} to ${base.width}x${base.height}.${remedy}`,
		);
	}
	return { base, folded, warnings };
}

/** Follows the size through the operations, so that further pictures are decoded in the size that they will have. */
function simulate(base: Size, operations: readonly Understood[], { sizes }: EditWish) {
	const steps: Step[] = [];
	const pictures: WantedPicture[] = [];
	let size: Size = base;
	let limited = false;
	for (const { verb, args, scope } of operations) {
		const wanted = verb.wants?.(size, args as never, sizes) ?? [];
		steps.push({
			verb: verb.name,
			args,
			...(scope && { scope }),
			pictures: wanted.map((_, index) => pictures.length + index),
		});
		pictures.push(...wanted);
		const next: BoundedSize = verb.size?.(size, args as never, sizes) ?? size;
		if (next.limited) limited = true;
		size = sizeOf(next);
	}
	return { steps, pictures, limited };
}

function sizeOf({ width, height }: Size): Size {
	return { width, height };
}

/** `Applied: blur 4 px; rotate 90°. Not understood: “add a unicorn”.` */
function describe(
	operations: readonly Understood[],
	unknown: readonly string[],
	lacking: readonly string[],
): string {
	const said = operations.map(({ verb, args, scope }) =>
		scope ? `${verb.say(args as never)} (${scope} only)` : verb.say(args as never),
	);
	const parts = [
		said.length > 0
			? `Applied: ${said.join('; ')}.`
			: 'Applied: nothing; the picture is unchanged.',
	];
	if (unknown.length > 0) parts.push(`Not understood: ${listed(unknown)}.`);
	if (lacking.length > 0) parts.push(`Not done: ${[...new Set(lacking)].slice(0, 8).join('; ')}.`);
	return parts.join(' ');
}

function listed(passages: readonly string[]): string {
	const distinct = [...new Set(passages)];
	const shown = distinct.slice(0, 10).map((passage) => {
		const chars = Array.from(passage);
		return `“${chars.length > 80 ? `${chars.slice(0, 79).join('')}…` : passage}”`;
	});
	const rest = distinct.length - shown.length;
	return shown.join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
