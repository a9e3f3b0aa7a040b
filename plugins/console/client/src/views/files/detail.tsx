import { useSignal } from '@preact/signals';
import { deleteJson, getBlob, getJson, useAttempt, useLoaded } from '../../api.ts';
import { saveBlob } from '../../blob.ts';
import { ActionDialog, Button, ErrorNote, Facts, LoadedContent, View, When } from '../../components.ts';
import { bytesText } from '../../format.ts';
import { goTo, linkTo } from '../../state/router.ts';
import { toast } from '../../state/toasts.ts';
import type { StoredFile } from './file.ts';
import { Preview } from './preview.tsx';

interface DetailProps {
	readonly id: string;
	readonly onDeleted: () => void;
}

/** One file with a preview. */
export function FileDetail({ id, onDeleted }: DetailProps) {
	const path = `/v1/files/${encodeURIComponent(id)}`;
	const loaded = useLoaded((signal) => getJson<StoredFile>(path, { signal }), [path]);
	return (
		<View
			title="File"
			lead={<a href={linkTo('files')}>All files</a>}
			actions={loaded.value && <Actions file={loaded.value} path={path} onDeleted={onDeleted} />}
		>
			<LoadedContent of={loaded} name="the file">
				{(file) => (
					<>
						<section class="card" aria-label="Facts">
							<h2>{file.filename}</h2>
							<Facts
								facts={{
									Id: <code>{file.id}</code>,
									Size: bytesText(file.bytes),
									Type: file.media_type,
									Purpose: file.purpose,
									Uploaded: <When at={file.created_at} />,
									Expires: <When at={file.expires_at} none="never" />,
								}}
							/>
						</section>
						<section class="card stack" aria-label="Preview">
							<h2>Preview</h2>
							<Preview file={file} />
						</section>
					</>
				)}
			</LoadedContent>
		</View>
	);
}

function Actions({
	file: { filename },
	path,
	onDeleted,
}: Pick<DetailProps, 'onDeleted'> & { readonly file: StoredFile; readonly path: string }) {
	const isAsking = useSignal(false);
	const { isBusy, error, attempt } = useAttempt();
	const download = () => attempt(async () => saveBlob(await getBlob(`${path}/content`), filename));
	const remove = async () => {
		await deleteJson(path);
		onDeleted();
		toast('The file was deleted.', 'good');
		goTo(linkTo('files'), { replace: true });
	};
	return (
		<>
			<Button icon="download" busy={isBusy.value} onClick={download}>
				Download
			</Button>
			<Button icon="trash" onClick={() => (isAsking.value = true)}>
				Delete
			</Button>
			{error.value && <ErrorNote error={error.value} />}
			{isAsking.value && (
				<ActionDialog
					title="Delete this file?"
					action="Delete"
					isDanger
					run={remove}
					onClose={() => (isAsking.value = false)}
				>
					<p>{filename}</p>
					<p>Requests that name it will fail from now on.</p>
				</ActionDialog>
			)}
		</>
	);
}
