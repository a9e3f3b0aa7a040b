import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { Button, Field } from '../../../components.ts';
import type { Desk } from '../desk/desk.ts';
import type { FieldSpec } from '../spec/fields.ts';
import { Canvas } from './canvas.tsx';
import { clear, fill, type Mode, markedShare, maskOf, type Rectangle, restore } from './paint.ts';
import { RectangleFields } from './rectangle-fields.tsx';

/** A mask that is drawn over the chosen picture. */
export function MaskField({ field, desk }: { readonly field: FieldSpec; readonly desk: Desk<unknown> }) {
	const picture = desk.files.value.image?.[0];
	return (
		<Field
			label="Mask"
			param="mask"
			hint={picture ? 'What you mark may change. Without marks, all of it may.' : field.hint}
		>
			{({ id, 'aria-describedby': described }) => (
				// biome-ignore lint/a11y/useSemanticElements: a fieldset has a border and a legend of its own.
				<div id={id} role="group" aria-label="Mask" aria-describedby={described}>
					{picture ? (
						<Drawing key={`${picture.name} ${picture.size} ${picture.lastModified}`} picture={picture} desk={desk} />
					) : (
						<p class="hint">Choose a picture first, then draw on it.</p>
					)}
				</div>
			)}
		</Field>
	);
}

function Drawing({ picture, desk }: { readonly picture: File; readonly desk: Desk<unknown> }) {
	const address = useMemo(() => URL.createObjectURL(picture), [picture]);
	useEffect(() => () => URL.revokeObjectURL(address), [address]);
	const canvas = useRef<HTMLCanvasElement>(null);
	const mode = useSignal<Mode>('paint');
	const percent = useSignal(8);
	const share = useSignal(0);

	/** Whether something was painted since the last "Clear". The share of small marks is rounded to 0. */
	const isMarked = useRef(false);

	/** Draws on the canvas, and saves the mask. */
	const change = (how: Mode | 'clear', draw: (drawn: HTMLCanvasElement) => void = () => {}) => {
		if (!canvas.current) return;
		draw(canvas.current);
		if (how !== 'erase') isMarked.current = how === 'paint';
		share.value = markedShare(canvas.current);
		if (isMarked.current) desk.setMade('mask', maskOf(canvas.current));
		else desk.setFiles('mask', []);
	};
	const prepareCanvas = async ({ naturalWidth, naturalHeight }: HTMLImageElement) => {
		if (!canvas.current) return;
		canvas.current.width = naturalWidth;
		canvas.current.height = naturalHeight;
		await desk.made;
		const [mask] = desk.files.value.mask ?? [];
		isMarked.current ||= mask !== undefined;
		if (mask) await restore(canvas.current, mask);
		share.value = markedShare(canvas.current);
	};
	const rectangle = (where: Rectangle, how: Mode) => change(how, (drawn) => fill(drawn, where, how));
	return (
		<div class="stack">
			<Canvas
				canvas={canvas}
				address={address}
				percent={percent.value}
				mode={mode.value}
				onPicture={prepareCanvas}
				onStroke={() => change(mode.value)}
			/>
			<div class="row">
				<Button pressed={mode.value === 'paint'} onClick={() => (mode.value = 'paint')}>
					Paint
				</Button>
				<Button pressed={mode.value === 'erase'} onClick={() => (mode.value = 'erase')}>
					Erase
				</Button>
				<Button icon="trash" onClick={() => change('clear', clear)}>
					Clear
				</Button>
			</div>
			<label class="playground-brush">
				Brush size
				<input
					type="range"
					min={1}
					max={40}
					value={percent.value}
					onInput={({ currentTarget }) => (percent.value = Number(currentTarget.value))}
				/>
			</label>
			<p class="hint" role="status">
				Marked: {(share.value * 100).toFixed(share.value < 0.1 ? 1 : 0)} % of the picture
			</p>
			<RectangleFields canvas={canvas} onRectangle={rectangle} />
		</div>
	);
}
