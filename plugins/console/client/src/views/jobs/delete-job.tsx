import { deleteJson, toApiError } from '../../api.ts';
import { ActionDialog } from '../../components.ts';
import { goTo, linkTo } from '../../state/router.ts';
import { toast } from '../../state/toasts.ts';
import { isPending, type Job, titleOf } from './job.ts';

/** A dialog that cancels a pending job and deletes it: the API has one operation for both. */
export function DeleteJob({
	job,
	onDeleted,
	onClose,
}: {
	readonly job: Job;
	readonly onDeleted: () => void;
	readonly onClose: () => void;
}) {
	const wasPending = isPending(job);
	const remove = async () => {
		await deleteJson(`/v1/videos/${encodeURIComponent(job.id)}`).catch((failure) => {
			// 404: the job was deleted in the meantime.
			if (toApiError(failure).status !== 404) throw failure;
		});
		onDeleted();
		toast(wasPending ? 'The job was cancelled and deleted.' : 'The job was deleted.', 'good');
		goTo(linkTo('jobs'), { replace: true });
	};
	return (
		<ActionDialog
			title={wasPending ? 'Cancel and delete this job?' : 'Delete this job?'}
			action={wasPending ? 'Cancel and delete' : 'Delete'}
			isDanger
			run={remove}
			onClose={onClose}
		>
			<p class="jobs-prompt">{titleOf(job)}</p>
			<p>{wasPending ? 'Its work ends, and its record is deleted.' : 'Its record and its video are deleted.'}</p>
		</ActionDialog>
	);
}
