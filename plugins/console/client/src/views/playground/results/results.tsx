import type { ComponentType } from 'preact';
import { useRef } from 'preact/hooks';
import { Download, Progress } from '../../../components.ts';
import { fractionOf } from '../../jobs/job.ts';
import type { Run } from '../desk/run.ts';
import type { CapabilityId } from '../spec/capabilities.ts';
import { readDocuments } from '../work/documents.ts';
import { makePictures, type PicturesResult } from '../work/pictures.ts';
import { type SpeechResult, speak, transcribe } from '../work/sound.ts';
import { cancelVideo, makeVideo, type VideoResult } from '../work/video.ts';
import { Documents } from './documents.tsx';
import { useFirstPlay } from './first-play.ts';
import { Pictures } from './pictures.tsx';
import type { Cancel } from './run-card.tsx';
import { Transcript } from './transcript.tsx';

/** How the page runs a capability and shows its results. */
export interface Worker<R> {
	work(run: Run<R>, replaced?: Run<R>): Promise<void>;
	readonly doing: string;
	readonly Result: ComponentType<{ readonly run: Run<R> }>;
	readonly cancel?: Cancel;
}

function Clip({ run }: { readonly run: Run<VideoResult> }) {
	const { video, position, preview, clip } = run.result.value ?? {};
	const player = useRef<HTMLVideoElement>(null);
	useFirstPlay(player, clip);
	if (!video) return null;
	const isWaiting = video.status === 'queued';
	const queueText = position === undefined ? 'Waiting for its turn' : `Number ${position} in the queue`;
	const isRunning = run.state.value === 'running';
	return (
		<>
			{isRunning && <Progress label="Progress of the video" value={fractionOf(video)} />}
			{isRunning && isWaiting && <p class="hint">{queueText}</p>}
			{preview && !clip && <img class="media partial" src={preview} alt="Unfinished state of the video" />}
			{clip && (
				<>
					<video class="media" src={clip} ref={player} controls muted loop playsInline aria-label="The video" />
					<div class="row">
						<Download address={clip} name={`${video.id}.mp4`} />
						<span class="hint">
							{video.size} · {video.seconds} s
						</span>
					</div>
				</>
			)}
		</>
	);
}

function Sound({ run }: { readonly run: Run<SpeechResult> }) {
	const result = run.result.value;
	const player = useRef<HTMLAudioElement>(null);
	useFirstPlay(player, result?.address);
	if (!result) return null;
	const isPlain = result.format === 'pcm';
	return (
		<>
			{isPlain ? (
				<p>Browsers do not play samples without a header. Choose another format to listen here.</p>
			) : (
				// biome-ignore lint/a11y/useMediaCaption: the text is in the form.
				<audio ref={player} class="media" src={result.address} controls aria-label="The speech" />
			)}
			<div class="row">
				<Download address={result.address} name={`speech.${result.format}`} />
				<span class="hint">{Math.ceil(result.blob.size / 1_024)} KB</span>
			</div>
		</>
	);
}

const pictures: Worker<PicturesResult> = { work: makePictures, doing: 'Drawing…', Result: Pictures };

const video: Worker<VideoResult> = {
	work: makeVideo,
	doing: 'Making the video…',
	Result: Clip,
	cancel: { word: 'Cancel', stop: (run) => cancelVideo(run as Run<VideoResult>) },
};

/** By capability. Chat is not included, because it has a view of its own. */
export const workers = {
	video,
	image: pictures,
	edit: pictures,
	speech: { work: speak, doing: 'Speaking…', Result: Sound },
	transcription: { work: transcribe, doing: 'Listening…', Result: Transcript },
	documents: { work: readDocuments, doing: 'Reading…', Result: Documents },
} as unknown as Readonly<Record<Exclude<CapabilityId, 'chat'>, Worker<unknown>>>;
