import { useMemo } from 'preact/hooks';
import { useBlob, useBlobUrl } from '../../api.ts';
import { blobOf } from '../../blob.ts';
import { Download, LoadedContent } from '../../components.ts';
import { bytesText } from '../../format.ts';
import { type Job, titleOf } from './job.ts';

/** The video of a completed job with its poster. */
export function Clip({ job }: { readonly job: Job }) {
	const { id } = job;
	const path = `/v1/videos/${encodeURIComponent(id)}/content`;
	const { url: posterUrl, value: poster } = useBlob(path, { variant: 'thumbnail' });
	const { url, ...clip } = useBlob(path);
	return (
		<div class="stack">
			{!url && posterUrl && <img class="media" src={posterUrl} alt={`Poster of ${titleOf(job)}`} />}
			<LoadedContent of={clip} name="the video">
				{({ size }) => (
					<>
						{/* biome-ignore lint/a11y/useMediaCaption: the server makes no captions. */}
						<video class="media" controls playsInline src={url} poster={posterUrl} aria-label={titleOf(job)} />
						<div class="row">
							{url && (
								<Download address={url} name={`${id}.mp4`}>
									Download the video ({bytesText(size)})
								</Download>
							)}
							{posterUrl && (
								<Download address={posterUrl} name={`${id}.${extensionOf(poster)}`}>
									Download the poster
								</Download>
							)}
						</div>
					</>
				)}
			</LoadedContent>
		</div>
	);
}

/** The newest unfinished picture of a job. */
export function Preview({ dataUrl }: { readonly dataUrl: string }) {
	const picture = useMemo(() => blobOf(dataUrl), [dataUrl]);
	return <img class="media" src={useBlobUrl(picture)} alt="What the model has made so far" />;
}

function extensionOf(poster: Blob | undefined): string {
	return poster?.type === 'image/png' ? 'png' : poster?.type === 'image/webp' ? 'webp' : 'jpg';
}
