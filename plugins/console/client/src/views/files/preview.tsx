import { useSignal } from '@preact/signals';
import { send, useBlob, useLoaded } from '../../api.ts';
import { Button, LoadedContent, Text } from '../../components.ts';
import { bytesText } from '../../format.ts';
import { previewKind, type StoredFile, textOf } from './file.ts';

/** Maximum bytes of a text that are shown. */
const textBytes = 65_536;
/** Larger files are loaded only after a click. */
const largeBytes = 30_000_000;

/** The preview of a picture, audio or video file, or of the start of a text. */
export function Preview({ file }: { readonly file: StoredFile }) {
	const isWanted = useSignal(file.bytes <= largeBytes);
	const kind = previewKind(file.media_type);
	if (kind === 'none') return <p>Files of this type have no preview.</p>;
	if (kind === 'text') return <TextPreview file={file} />;
	if (isWanted.value) return <MediaPreview file={file} kind={kind} />;
	return (
		<Button icon="download" onClick={() => (isWanted.value = true)}>
			Load the preview ({bytesText(file.bytes)})
		</Button>
	);
}

function MediaPreview({
	file: { id, filename },
	kind,
}: {
	readonly file: StoredFile;
	readonly kind: 'image' | 'audio' | 'video';
}) {
	const { url, ...blob } = useBlob(contentOf(id));
	const media = () => {
		if (kind === 'image') return <img class="media" src={url} alt={filename} />;
		// biome-ignore-start lint/a11y/useMediaCaption: files of users have no captions.
		if (kind === 'audio') return <audio class="media" controls src={url} aria-label={filename} />;
		return <video class="media" controls playsInline src={url} aria-label={filename} />;
		// biome-ignore-end lint/a11y/useMediaCaption: as above.
	};
	return (
		<LoadedContent of={blob} name="the preview">
			{media}
		</LoadedContent>
	);
}

function TextPreview({ file: { id, bytes } }: { readonly file: StoredFile }) {
	const isCut = bytes > textBytes;
	const load = async (signal: AbortSignal) => {
		const headers = isCut ? { range: `bytes=0-${textBytes - 1}` } : {};
		const response = await send('GET', contentOf(id), { headers, signal });
		return { text: textOf(new Uint8Array(await response.arrayBuffer()), isCut) };
	};
	return (
		<LoadedContent of={useLoaded(load, [id])} name="the preview">
			{({ text }) =>
				text === undefined ? (
					<p>It is not text, and its type is not known.</p>
				) : (
					<>
						<Text text={text} />
						{isCut && <p class="hint">These are the first {bytesText(textBytes)}.</p>}
					</>
				)
			}
		</LoadedContent>
	);
}

function contentOf(id: string): string {
	return `/v1/files/${encodeURIComponent(id)}/content`;
}
