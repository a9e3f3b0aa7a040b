import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { Button, Field } from '../../../components.ts';
import { toast } from '../../../state/toasts.ts';
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

	const saveMask = async () => {
		if (!canvas.current) return;
		share.value = markedShare(canvas.current);
		try {
			desk.setFiles('mask', share.value === 0 ? [] : [await maskOf(canvas.current)]);
		} catch (error) {
			toast(String(error), 'bad');
		}
	};
	const prepareCanvas = async ({ naturalWidth, naturalHeight }: HTMLImageElement) => {
		if (!canvas.current) return;
		canvas.current.width = naturalWidth;
		canvas.current.height = naturalHeight;
		const [mask] = desk.files.value.mask ?? [];
		if (mask) await restore(canvas.current, mask);
		share.value = markedShare(canvas.current);
	};
	const change = (work: (drawn: HTMLCanvasElement) => void) => {
		if (canvas.current) work(canvas.current);
		void saveMask();
	};
	const rectangle = (where: Rectangle, how: Mode) => change((drawn) => fill(drawn, where, how));
	return (
		<div class="stack">
			<Canvas
				canvas={canvas}
				address={address}
				percent={percent.value}
				mode={mode.value}
				onPicture={prepareCanvas}
				onStroke={saveMask}
			/>
			<div class="row">
				<Button pressed={mode.value === 'paint'} onClick={() => (mode.value = 'paint')}>
					Paint
				</Button>
				<Button pressed={mode.value === 'erase'} onClick={() => (mode.value = 'erase')}>
					Erase
				</Button>
				<Button icon="trash" onClick={() => change(clear)}>
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
					onInput={({ currentTarget }) => {
						percent.value = Number(currentTarget.value);
					}}
				/>
			</label>
			<p class="hint" role="status">
				Marked: {(share.value * 100).toFixed(share.value < 0.1 ? 1 : 0)} % of the picture
			</p>
			<RectangleFields canvas={canvas} onRectangle={rectangle} />
		</div>
	);
}
