import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { Button, boundTo, Fold, TextField } from '../../../components.ts';
import type { Mode, Rectangle } from './paint.ts';

const sides = [
	['x', 'From left'],
	['y', 'From top'],
	['width', 'Width'],
	['height', 'Height'],
] as const;

/** Fields to mark rectangles by numbers, for users who cannot draw. */
export function RectangleFields({
	canvas,
	onRectangle,
}: {
	readonly canvas: RefObject<HTMLCanvasElement | null>;
	readonly onRectangle: (rectangle: Rectangle, mode: Mode) => void;
}) {
	const entered = useSignal({ x: '', y: '', width: '', height: '' });
	const apply = (mode: Mode) => {
		const { width: fullWidth = 0, height: fullHeight = 0 } = canvas.current ?? {};
		// An empty width or height extends to the edge.
		const { x, y, width, height } = entered.value;
		const corner = { x: numberOf(x, 0), y: numberOf(y, 0) };
		onRectangle({ ...corner, width: numberOf(width, fullWidth), height: numberOf(height, fullHeight) }, mode);
	};
	return (
		<Fold summary="Mark a rectangle by numbers">
			<div class="form">
				<div class="beside">
					{sides.map(([side, label]) => (
						<TextField key={side} label={label} type="number" {...boundTo(entered, side)} />
					))}
				</div>
				<div class="row">
					<Button onClick={() => apply('paint')}>Mark it</Button>
					<Button onClick={() => apply('erase')}>Unmark it</Button>
				</div>
				<p class="hint">In pixels of the picture. An empty width or height extends to the edge.</p>
			</div>
		</Fold>
	);
}

function numberOf(text: string, fallback: number): number {
	const value = Number(text);
	return text.trim() === '' || !Number.isFinite(value) ? fallback : value;
}
