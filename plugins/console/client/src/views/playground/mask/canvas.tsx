import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import { type Mode, type Point, stroke } from './paint.ts';

/** A picture with a canvas over it for the marks. */
export function Canvas({
	canvas,
	address,
	percent,
	mode,
	onPicture,
	onStroke,
}: {
	readonly canvas: RefObject<HTMLCanvasElement | null>;
	/** The URL of the picture. */
	readonly address: string;
	/** The width of the brush, in percent of the shorter side. */
	readonly percent: number;
	readonly mode: Mode;
	/** Called when the picture is loaded. */
	readonly onPicture: (picture: HTMLImageElement) => void;
	readonly onStroke: () => void;
}) {
	const lastPoint = useRef<Point | undefined>(undefined);
	const draw = (event: PointerEvent) => {
		const drawn = canvas.current;
		if (!drawn || !lastPoint.current) return;
		const width = (Math.min(drawn.width, drawn.height) * percent) / 100;
		const to = pointOf(drawn, event);
		stroke(drawn, lastPoint.current, to, width, mode);
		lastPoint.current = to;
	};
	const end = () => {
		if (lastPoint.current) onStroke();
		lastPoint.current = undefined;
	};
	return (
		<div class="playground-canvas">
			<img
				class="media"
				src={address}
				alt="What is to be changed"
				onLoad={({ currentTarget }) => onPicture(currentTarget)}
			/>
			<canvas
				ref={canvas}
				role="img"
				aria-label="The marks on the picture. The fields below mark rectangles by keyboard."
				onPointerDown={(event) => {
					if (event.button !== 0) return;
					event.currentTarget.setPointerCapture(event.pointerId);
					lastPoint.current = pointOf(event.currentTarget, event);
					draw(event);
				}}
				onPointerMove={draw}
				onPointerUp={end}
				onPointerCancel={end}
			/>
		</div>
	);
}

/** The point of an event in pixels of the picture. */
function pointOf(canvas: HTMLCanvasElement, { clientX, clientY }: PointerEvent): Point {
	const { left, top, width, height } = canvas.getBoundingClientRect();
	return { x: ((clientX - left) * canvas.width) / width, y: ((clientY - top) * canvas.height) / height };
}
