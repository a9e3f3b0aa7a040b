import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError, sendForm, useAttempt } from '../../api.ts';
import { Button, bound, FileField, Form, Progress, SelectField } from '../../components.ts';
import { toast } from '../../state/toasts.ts';
import { formOf, lifetimes, purposes, type StoredFile } from './file.ts';

/** A form that uploads files one after the other. After an error, uploaded files are not sent again. */
export function Upload({ onUploaded }: { readonly onUploaded: () => void }) {
	const files = useSignal<readonly File[]>([]);
	const purpose = useSignal<string>(purposes[0]);
	const lifetime = useSignal('');
	/** The file that is being sent, and the fraction that has been sent. */
	const sending = useSignal<{ readonly name: string; readonly fraction: number } | undefined>(undefined);
	const running = useRef<AbortController | undefined>(undefined);
	const { isBusy, error, attempt } = useAttempt();
	useEffect(() => () => running.current?.abort(), []);

	const send = async (file: File, signal: AbortSignal) => {
		const onProgress = (fraction: number) => (sending.value = { name: file.name, fraction });
		onProgress(0);
		await sendForm<StoredFile>('/v1/files', formOf(file, purpose.value, lifetime.value), signal, onProgress);
		files.value = files.value.filter((each) => each !== file);
		onUploaded();
	};
	const sendAll = async () => {
		if (files.value.length === 0) throw new ApiError('Choose a file first.', { param: 'file' });
		running.current = new AbortController();
		const sent: string[] = [];
		try {
			for (const file of files.value) {
				// The user may have removed it in the meantime.
				if (!files.value.includes(file)) continue;
				await send(file, running.current.signal);
				sent.push(file.name);
			}
		} finally {
			sending.value = undefined;
			if (sent.length === 1) toast(`${sent[0]} was uploaded.`, 'good');
			else if (sent.length > 1) toast(`${sent.length} files were uploaded.`, 'good');
		}
	};
	return (
		<section class="card" aria-label="Upload">
			<Form onSubmit={() => void attempt(sendAll)} error={error.value} label="Upload files">
				<FileField label="Files" param="file" multiple hint="Choose files or drop them here." {...bound(files)} />
				<div class="columns">
					<SelectField label="Purpose" param="purpose" options={purposes} {...bound(purpose)} />
					<SelectField label="Expires" param="expires_after" options={lifetimes} {...bound(lifetime)} />
				</div>
				{sending.value && <Progress value={sending.value.fraction} label={`Upload of ${sending.value.name}`} />}
				<div class="row">
					<Button type="submit" look="primary" icon="upload" busy={isBusy.value}>
						Upload
					</Button>
					{sending.value && (
						<Button icon="stop" onClick={() => running.current?.abort()}>
							Stop
						</Button>
					)}
				</div>
			</Form>
		</section>
	);
}
