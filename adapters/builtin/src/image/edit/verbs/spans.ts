import { type BoundedSize, clampSize, type Size } from '../bitmap.ts';
import type { Parameter, Place } from '../grammar/parameters.ts';
import type { Reader } from '../grammar/reader.ts';
import type { NumberToken } from '../grammar/tokens.ts';
import { type Box, boxAt, ratioBox } from '../ops/geometry.ts';

/** What a crop keeps: a size in pixels, a ratio, a share of both sides, or all but a share of one side. */
export interface Span {
	readonly kind: 'size' | 'ratio' | 'share' | 'off' | 'part';
	readonly width: number;
	readonly height: number;
	readonly text: string;
}

/** Reads what a crop keeps; usually 80 % around the middle. */
export const cropSpan: Parameter<Span> = {
	about: 'WxH, a ratio, square, N %, or N % from a side',
	read: (words) => {
		const size = words.pair('size');
		if (size) {
			const [width, height] = [words.bound(size.width, 1, 100_000), words.bound(size.height, 1, 100_000)];
			return { kind: 'size', width, height, text: `${width}x${height}` };
		}
		const ratio = words.pair('ratio');
		if (ratio && ratio.width > 0 && ratio.height > 0) {
			return {
				kind: 'ratio',
				width: ratio.width,
				height: ratio.height,
				text: `${ratio.width}:${ratio.height}`,
			};
		}
		if (words.word('square')) return { kind: 'ratio', width: 1, height: 1, text: 'square' };
		// `crop out the left 20%` keeps the rest.
		const isOut = words.has('out') && words.holds('number');
		return isOut || words.has('from', 'off') ? offSide(words) : shareOf(words);
	},
};

function shareOf(words: Reader): Span {
	if (words.word('half')) return { kind: 'part', width: 0.5, height: 0.5, text: 'half' };
	if (words.word('third')) return { kind: 'part', width: 1 / 3, height: 1 / 3, text: 'a third' };
	if (words.word('quarter')) return { kind: 'part', width: 0.25, height: 0.25, text: 'a quarter' };
	const px = words.number('px');
	if (px) {
		const side = words.bound(px.value, 1, 100_000);
		return { kind: 'size', width: side, height: side, text: `${side}x${side}` };
	}
	const said = words.number('%', '');
	if (said && said.unit === '' && said.value > 100) {
		return {
			kind: 'size',
			width: said.value,
			height: said.value,
			text: `${said.value}x${said.value}`,
		};
	}
	const value = words.bound(said?.value ?? 80, 1, 100);
	return { kind: 'share', width: value / 100, height: value / 100, text: `${value} %` };
}

/** `crop 10% from the left`: the place has been read already, so the side is the place. */
function offSide(words: Reader): Span {
	words.word('from', 'off', 'out');
	const said = words.number('%', 'px', '');
	if (said && said.unit !== '%') {
		const value = words.bound(said.value, 0, 100_000);
		return { kind: 'off', width: value, height: value, text: `${value} px off` };
	}
	const value = words.bound(said?.value ?? 10, 0, 99) / 100;
	return { kind: 'off', width: -value, height: -value, text: `${Math.round(value * 100)} % off` };
}

/** The box that a crop keeps, inside the picture. Lengths in pixels are multiplied by `scale`. */
export function cropBox(size: Size, span: Span, place: Place, scale = 1): Box {
	const within = (length: number, most: number): number => Math.max(1, Math.min(most, Math.round(length)));
	switch (span.kind) {
		case 'size':
			return boxAt(
				size,
				{
					width: within(span.width * scale, size.width),
					height: within(span.height * scale, size.height),
				},
				place,
			);
		case 'ratio':
			return boxAt(size, ratioBox(size, Math.min(1000, Math.max(0.001, span.width / span.height))), place);
		case 'share':
			return boxAt(
				size,
				{
					width: within(size.width * span.width, size.width),
					height: within(size.height * span.height, size.height),
				},
				place,
			);
		case 'part': {
			// Half of the side that is named: the left half is as high as the picture.
			const [x, y] = [place.x !== 0 || place.y === 0, place.y !== 0];
			const width = x ? within(size.width * span.width, size.width) : size.width;
			const height = y ? within(size.height * span.height, size.height) : size.height;
			return boxAt(size, { width, height }, place);
		}
		case 'off':
			return withoutSide(size, span, place, scale);
	}
}

function withoutSide(size: Size, { width: off }: Span, place: Place, scale: number): Box {
	const gone = (length: number): number => Math.min(length - 1, Math.round(off < 0 ? length * -off : off * scale));
	const everywhere = place.x === 0 && place.y === 0;
	const sides = everywhere ? 2 : 1;
	const width = place.x !== 0 || everywhere ? size.width - gone(size.width / sides) * sides : size.width;
	const height = place.y !== 0 || everywhere ? size.height - gone(size.height / sides) * sides : size.height;
	const kept = { width: Math.max(1, Math.floor(width)), height: Math.max(1, Math.floor(height)) };
	return boxAt(size, kept, { x: opposite(place.x), y: opposite(place.y) });
}

function opposite(side: -1 | 0 | 1): -1 | 0 | 1 {
	return side === 0 ? 0 : side < 0 ? 1 : -1;
}

/** What a picture is resized to: both sides, one of them, or a factor. */
export interface SizeSpan {
	readonly width?: number;
	readonly height?: number;
	readonly factor?: number;
	readonly text: string;
}

/** Reads a size: `800x600`, `50%`, `width 300`, `300 px wide`, `twice`, `512`. */
export const sizeSpan: Parameter<SizeSpan | undefined> = {
	about: 'WxH, N %, a width, a height, half or double',
	read: (words) => {
		const pair = words.pair('size');
		if (pair) {
			const [width, height] = [words.bound(pair.width, 1, 100_000), words.bound(pair.height, 1, 100_000)];
			words.direction();
			if (width === height) words.word('square');
			return { width, height, text: `${width}x${height}` };
		}
		const way = wayOf(words);
		const isAbsolute = words.isAbsolute() && words.word('to') !== undefined;
		if (words.word('half')) return shareSpan(50);
		if (words.word('double', 'twice')) return shareSpan(200);
		const share = words.number('%', 'x') ?? (way !== 0 ? smallNumber(words) : undefined);
		if (share) {
			const isFactor = share.unit !== '%';
			const said = isFactor ? share.value * 100 : share.value;
			if (isAbsolute || way === 0) return shareSpan(words.bound(said, 1, 1000));
			if (isFactor) return shareSpan(words.bound(way < 0 && said > 100 ? 10_000 / said : said, 1, 1000));
			// `enlarge 150%` names the result, `enlarge by 50%` the change.
			const isResult = said > 100 && !words.isRelative;
			return shareSpan(words.bound(isResult ? said : 100 + way * said, 1, 1000));
		}
		const isHigh = words.has('height', 'high', 'tall');
		const isWide = words.has('width', 'wide');
		const said = words.number('px', '');
		if (!said) return undefined;
		const side = words.bound(said.value, 1, 100_000);
		if (isHigh) return { height: side, text: `height ${side}` };
		if (isWide) return { width: side, text: `width ${side}` };
		return { width: side, height: side, factor: 0, text: `longer side ${side}` };
	},
};

function shareSpan(percent: number): SizeSpan {
	return { factor: percent / 100, text: `${Math.round(percent)} %` };
}

/** 1 for larger, -1 for smaller, 0 where neither is said. */
function wayOf(words: Reader): -1 | 0 | 1 {
	const direction = words.direction();
	const smaller = words.word('smaller');
	const larger = words.word('larger', 'bigger', 'big', 'large');
	if (smaller || words.isCalled('shrink', 'downscale')) return -1;
	if (larger || words.isCalled('enlarge', 'upscale')) return direction ?? 1;
	return direction ?? 0;
}

/** `enlarge by 2` is a factor, `enlarge to 800` is not. */
function smallNumber(words: Reader): NumberToken | undefined {
	return words.take(
		(token): token is NumberToken =>
			token.kind === 'number' && token.unit === '' && token.value > 0 && token.value <= 10,
	);
}

/** The size that a resize makes, within the bounds of size. */
export function resizedSize(size: Size, span: SizeSpan | undefined, scale = 1): BoundedSize {
	if (!span) return size;
	const { width, height, factor } = span;
	if (factor === 0) {
		const by = ((width ?? 1) * scale) / Math.max(size.width, size.height);
		return clampSize({ width: size.width * by, height: size.height * by });
	}
	if (factor !== undefined) {
		return clampSize({ width: size.width * factor, height: size.height * factor });
	}
	const ratio = size.width / size.height;
	return clampSize({
		width: (width ?? (height ?? 1) * ratio) * scale,
		height: (height ?? (width ?? 1) / ratio) * scale,
	});
}

/** An angle in degrees clockwise, -180 to 180; 90 where none is said. */
export const turnAngle: Parameter<number> = {
	about: 'degrees clockwise, usually 90',
	read: (words) => {
		const counter = words.word('counterclockwise', 'anticlockwise', 'counter', 'anti', 'ccw', 'left');
		words.word('clockwise', 'right', 'cw');
		if (words.word('upside')) {
			words.word('down');
			return 180;
		}
		const strength = words.strength();
		const said = words.number('°', '');
		const usual = strength < 1 ? 5 : 90;
		const value = said && Number.isFinite(said.value) ? said.value : usual;
		const turned = (((counter ? -value : value) % 360) + 360) % 360;
		return turned > 180 ? turned - 360 : turned;
	},
};
