import { type BoundedSize, clampSize, MAX_PIXELS, MAX_SIDE, type Size } from './bitmap.ts';
import type { Understood } from './grammar/outcome.ts';
import { parsePrompt } from './grammar/parse.ts';
import type { WantedPicture } from './grammar/verb.ts';
import type { Step } from './jobs.ts';
import { type Report, sayOperation, shortened } from './report.ts';
import { resizedSize, type SizeSpan } from './verbs/spans.ts';
import { language } from './verbs/table.ts';

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
	/** The prompt as it was understood; what really came of it is known after the work. */
	readonly report: Report;
	readonly warnings: readonly string[];
}

/**
 * Plans an edit. A size that was asked for is made before the operations, so that they work on what will be seen; only if they set
 * a size themselves is the result fitted into it at the end.
 */
export function planEdit(wish: EditWish): EditPlan {
	const parsed = parsePrompt(wish.prompt, language);
	const unknown = [...parsed.unknown];
	const lacking = [...parsed.lacking];
	const operations = parsed.operations.filter((operation) => {
		// With a mask, what is named is what the mask shows.
		if (operation.target && wish.masked) unknown.push(operation.target);
		const obstacle = obstacleOf(operation, wish);
		if (obstacle) lacking.push(`${sayOperation(operation)} (${obstacle})`);
		return !obstacle;
	});
	const start = startSize(wish, operations);
	lacking.push(...start.lacking);
	const warnings = [...parsed.notes, ...lacking.map((part) => `Not done: ${part}.`)];
	warnings.push(...start.warnings);
	const rest = operations.slice(start.folded);
	const { steps, pictures, limited, end } = simulate(start.base, rest, wish);
	if (limited.size > 0) warnings.push(LIMITED);
	const resized = !isSame(start.base, wish.sizes[0] as Size);
	if (parsed.operations.length === 0 && lacking.length === 0) warnings.push(helpFor(resized));
	const isFinal = end !== undefined && isSame(end, wish.size ?? end);
	return {
		base: start.base,
		steps,
		pictures,
		...(wish.size && !isFinal && { finish: wish.size }),
		report: {
			said: operations
				.filter((one) => !start.idle.includes(one))
				.map((one) => sayMade(one, start.limited?.get(one) ?? limited.get(one))),
			unknown,
			lacking,
			resized,
		},
		warnings: [...new Set(warnings)].slice(0, 12),
	};
}

/** An operation in words, with the size that it really makes where the wanted one is too large. */
function sayMade(operation: Understood, size: Size | undefined): string {
	if (!size) return sayOperation(operation);
	const made = `${size.width}x${size.height}`;
	return operation.verb.name === 'resize' ? `resize ${made}` : `${sayOperation(operation)}, limited to ${made}`;
}

function isSame(a: Size, b: Size): boolean {
	return a.width === b.width && a.height === b.height;
}

const LIMITED = `The result is limited to ${MAX_SIDE} pixels a side and 8.3 megapixels.`;

function helpFor(resized: boolean): string {
	const effect = resized ? 'only the size was made' : 'the picture is unchanged';
	return `Nothing in the prompt was understood as an operation, so ${effect}. Possible are, for example: grayscale, sepia, blur 6, sharpen, brighten 20%, rotate 90, crop 16:9, round corners, border red, add text "…", remove background, replace background with blue, overlay image 2, collage.`;
}

function obstacleOf(operation: Understood, { masked, sizes }: EditWish): string | undefined {
	const { verb, args, scope, target } = operation;
	if (target && !masked) return `cannot find “${shortened(target)}” in a picture`;
	if (scope === 'mask' && !masked) return 'there is no mask';
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
	/** Those of them that change nothing. */
	readonly idle: readonly Understood[];
	/** The sizes of those of them that cannot be as large as wanted. */
	readonly limited?: ReadonlyMap<Understood, Size>;
	readonly lacking: readonly string[];
	readonly warnings: readonly string[];
}

function startSize(wish: EditWish, operations: readonly Understood[]): Start {
	const own = wish.sizes[0] as Size;
	const changesSize = operations.some(({ verb }) => verb.size);
	if (wish.size && !changesSize) {
		return { base: wish.size, folded: 0, idle: [], lacking: [], warnings: [] };
	}
	const resized = foldResizes(own, operations);
	if (resized.folded > 0) return resized;
	const most = wish.fidelity === 'low' && !wish.size ? MAX_PIXELS_LOW : MAX_PIXELS;
	const fitting = sizeOf(clampSize(own, Number.POSITIVE_INFINITY, most));
	const base = joinedSize(fitting, operations, wish);
	const warnings = isSame(base, own) || wish.size ? [] : [smaller(own, base, wish)];
	return { base, folded: 0, idle: [], lacking: [], warnings };
}

function smaller(own: Size, base: Size, { fidelity }: EditWish): string {
	const remedy = fidelity === 'low' ? ' input_fidelity high keeps up to 8.3 megapixels.' : '';
	return `The picture was made smaller, from ${own.width}x${own.height} to ${base.width}x${base.height}.${remedy}`;
}

/** What is resized first is decoded in its new size. */
function foldResizes(own: Size, operations: readonly Understood[]): Start {
	let base = own;
	let folded = 0;
	const idle: Understood[] = [];
	const limited = new Map<Understood, Size>();
	const warnings: string[] = [];
	for (const operation of operations) {
		if (operation.verb.name !== 'resize' || operation.scope) break;
		const next = resizedSize(base, operation.args.span as SizeSpan);
		if (next.limited) warnings.push(LIMITED);
		if (next.limited) limited.set(operation, sizeOf(next));
		if (isSame(next, base)) idle.push(operation);
		base = sizeOf(next);
		folded++;
	}
	const lacking = idle.map((one) => `${sayOperation(one)} (the picture has that size)`);
	return { base, folded, idle, limited, lacking, warnings };
}

/** Pictures that are joined are decoded so small that what they make together is no larger than wanted. */
function joinedSize(base: Size, operations: readonly Understood[], wish: EditWish): Size {
	if (!operations.some(({ verb }) => verb.size && verb.wants)) return base;
	const low = wish.fidelity === 'low' ? MAX_PIXELS_LOW : MAX_PIXELS;
	const most = wish.size ? Math.min(low, wish.size.width * wish.size.height) : low;
	let size = base;
	// Each round is nearer; roundings may need a second one.
	for (let round = 0; round < 4; round++) {
		const { largest, part } = simulate(size, operations, wish);
		const by = Math.min(1, Math.sqrt(most / (largest.width * largest.height)));
		if (by === 1 && part.width >= size.width) break;
		size = {
			width: Math.max(1, Math.floor(Math.min(size.width, part.width) * by)),
			height: Math.max(1, Math.floor(Math.min(size.height, part.height) * by)),
		};
	}
	return size;
}

/** Follows the size through the operations, so that further pictures are decoded in the size that they will have. */
function simulate(base: Size, operations: readonly Understood[], { sizes }: EditWish) {
	const steps: Step[] = [];
	const pictures: WantedPicture[] = [];
	let size: Size = base;
	const limited = new Map<Understood, Size>();
	let largest: Size = base;
	// Of pictures that are joined, all are as large.
	let part: Size = base;
	for (const operation of operations) {
		const { verb, args, scope } = operation;
		const wanted = verb.wants?.(size, args as never, sizes) ?? [];
		steps.push({
			verb: verb.name,
			args,
			...(scope && scope !== 'mask' && { scope }),
			pictures: wanted.map((_, index) => pictures.length + index),
		});
		pictures.push(...wanted);
		if (verb.size && wanted[0]) part = wanted[0];
		const next: BoundedSize = verb.size?.(size, args as never, sizes) ?? size;
		if (next.limited) limited.set(operation, sizeOf(next));
		if (next.width * next.height > largest.width * largest.height) largest = next;
		size = sizeOf(next);
	}
	// What trimming leaves is known only when it is done.
	const end = operations.some(({ verb }) => verb.name === 'trim') ? undefined : size;
	return { steps, pictures, limited, largest, part, end };
}

function sizeOf({ width, height }: Size): Size {
	return { width, height };
}
