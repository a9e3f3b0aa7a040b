import { useRef } from 'preact/hooks';
import { Button, Code, Table } from '../../../components.ts';
import type { Run } from '../desk/run.ts';
import type { TimedText, TranscriptionResult } from '../work/sound.ts';

/** A transcript with a player for its audio. */
export function Transcript({ run }: { readonly run: Run<TranscriptionResult> }) {
	const player = useRef<HTMLAudioElement>(null);
	const result = run.result.value;
	if (!result) return null;
	const { text, language, sound, segments = [], words = [] } = result;
	const play = (start: number) => {
		if (!player.current) return;
		player.current.currentTime = start;
		void player.current.play().catch(() => {});
	};
	return (
		<>
			{/* biome-ignore lint/a11y/useMediaCaption: the text is below. */}
			{sound && <audio ref={player} class="media" src={sound} controls aria-label="The sound" />}
			<Code label="Transcript" text={text} />
			{language && <p class="hint">Language: {language}</p>}
			{segments.length > 0 && <TimedTexts caption="Segments" rows={segments} onPlay={play} />}
			{words.length > 0 && <TimedTexts caption="Words" rows={words} onPlay={play} />}
		</>
	);
}

function TimedTexts({
	caption,
	rows,
	onPlay,
}: {
	readonly caption: string;
	readonly rows: readonly TimedText[];
	readonly onPlay: (start: number) => void;
}) {
	const seconds = (value: number) => value.toFixed(2);
	return (
		<Table
			caption={caption}
			rows={rows}
			keyOf={({ start, end, text, word }) => `${start}-${end}-${text ?? word}`}
			columns={[
				{
					title: 'From',
					cell: ({ start }) => (
						<Button look="quiet" icon="playground" onClick={() => onPlay(start)}>
							{seconds(start)} s
						</Button>
					),
				},
				{ title: 'To', cell: ({ end }) => `${seconds(end)} s` },
				{ title: caption.slice(0, -1), isHead: true, cell: ({ text, word }) => text ?? word ?? '' },
			]}
		/>
	);
}
