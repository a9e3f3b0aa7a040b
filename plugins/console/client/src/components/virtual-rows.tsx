import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

interface VirtualRowsProps<T> {
	readonly label: string;
	readonly rows: readonly T[];
	readonly keyOf: (row: T) => string;
	readonly render: (row: T) => ComponentChildren;
	/** Called when the end of the rows is near. */
	readonly onNearEnd: () => void;
}

/** Rows that are rendered beyond each edge of the window. */
const overscan = 10;
/** The next page is requested this many rows before the end. */
const nearEnd = 60;

interface RowRange {
	/** The height of each row in pixels, measured. */
	readonly height: number;
	readonly first: number;
	readonly end: number;
}

/**
 * Rows of equal height. Only those near the window are in the document. The page scrolls as if all were.
 * Rows that are added above the window do not move the visible rows.
 */
export function VirtualRows<T>({ label, rows, keyOf, render, onNearEnd }: VirtualRowsProps<T>) {
	const body = useRef<HTMLDivElement>(null);
	const list = useRef<HTMLUListElement>(null);
	const anchor = useRef<string | undefined>(undefined);
	const [range, setRange] = useState<RowRange>({ height: 64, first: 0, end: 30 });
	const count = rows.length;
	const first = Math.min(range.first, Math.max(0, count - 1));

	const measure = () => {
		const next = rangeOf(body.current, count);
		// The row at the upper edge of the window, unless the first row is visible.
		const above = pixelsAbove(body.current);
		const top = above > next.height ? rows[Math.floor(above / next.height)] : undefined;
		anchor.current = top && keyOf(top);
		setRange((before) =>
			before.first === next.first && before.end === next.end && before.height === next.height ? before : next,
		);
	};
	const latestMeasure = useRef(measure);
	latestMeasure.current = measure;

	useLayoutEffect(() => {
		body.current?.style.setProperty('height', `${count * range.height}px`);
		list.current?.style.setProperty('transform', `translateY(${first * range.height}px)`);
	}, [count, range.height, first]);
	useLayoutEffect(() => {
		// Scrolls by as much as the row at the upper edge has moved.
		const index = anchor.current === undefined ? -1 : rows.findIndex((row) => keyOf(row) === anchor.current);
		const moved = index - Math.floor(pixelsAbove(body.current) / range.height);
		if (index >= 0 && moved !== 0) scrollBy({ top: moved * range.height, behavior: 'instant' });
		measure();
	}, [rows, range.height]);
	useEffect(() => {
		const update = () => latestMeasure.current();
		addEventListener('scroll', update, { passive: true });
		addEventListener('resize', update);
		return () => {
			removeEventListener('scroll', update);
			removeEventListener('resize', update);
		};
	}, []);
	useEffect(() => {
		if (range.end + nearEnd >= count) onNearEnd();
	}, [range, count, onNearEnd]);

	return (
		<div ref={body} class="virtual-rows">
			<ul ref={list} aria-label={label}>
				{rows.slice(first, range.end).map((row, index) => (
					<li key={keyOf(row)} class="virtual-row" aria-posinset={first + index + 1} aria-setsize={count}>
						{render(row)}
					</li>
				))}
			</ul>
		</div>
	);
}

/** How many pixels of the rows are above the window. */
function pixelsAbove(body: HTMLElement | null): number {
	return -(body?.getBoundingClientRect().top ?? 0);
}

function rangeOf(body: HTMLElement | null, count: number): RowRange {
	const height = body?.querySelector('li')?.getBoundingClientRect().height ?? 64;
	const above = pixelsAbove(body);
	const first = Math.floor(above / height) - overscan;
	const end = Math.ceil((above + innerHeight) / height) + overscan;
	return { height, first: Math.max(0, Math.min(first, count)), end: Math.max(0, Math.min(end, count)) };
}
