import { useSignal } from '@preact/signals';
import { postJson } from '../../api.ts';
import { ActionDialog, bound, boundTo, CheckField, TextField } from '../../components.ts';
import { goTo, linkTo } from '../../state/router.ts';
import { toast } from '../../state/toasts.ts';
import type { Job } from './job.ts';

/** A form with the request of a job, as far as its record contains it. */
export function RunAgain({ job, onClose }: { readonly job: Job; readonly onClose: () => void }) {
	const { prompt, model, size = '', seconds = '' } = job;
	const request = useSignal({ prompt: prompt ?? '', model, size, seconds });
	const asRemix = useSignal(false);
	const submit = async () => {
		const { id } = asRemix.value ? await remix(job, request.value.prompt) : await create(request.value);
		toast('The job was submitted.', 'good');
		goTo(linkTo('jobs', [id]));
	};
	return (
		<ActionDialog title="Run again" action="Submit" run={submit} onClose={onClose}>
			<p class="hint">
				The record does not contain a start picture or a callback, so neither is repeated. The same request may result
				in another video.
			</p>
			<TextField label="Prompt" param="prompt" required rows={4} {...boundTo(request, 'prompt')} />
			{!asRemix.value && (
				<>
					<TextField label="Model" param="model" required {...boundTo(request, 'model')} />
					<TextField label="Size" param="size" {...boundTo(request, 'size')} />
					<TextField label="Seconds" param="seconds" {...boundTo(request, 'seconds')} />
				</>
			)}
			{job.status === 'completed' && (
				<CheckField
					label="As a remix of this video"
					hint="It uses the same start picture (if there was one), model, size and length."
					{...bound(asRemix)}
				/>
			)}
		</ActionDialog>
	);
}

function remix({ id }: Job, prompt: string): Promise<Job> {
	return postJson(`/v1/videos/${encodeURIComponent(id)}/remix`, { prompt });
}

/** Submits a job. Empty fields are left out, so that the model's defaults apply. The prompt is always sent. */
function create({
	prompt,
	...settings
}: Readonly<Record<'prompt' | 'model' | 'size' | 'seconds', string>>): Promise<Job> {
	const nonEmpty = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== ''));
	return postJson('/v1/videos', { prompt, ...nonEmpty });
}
