import { useSignal } from '@preact/signals';
import { usePages } from '../../api.ts';
import { bound, Empty, LoadedPages, ReloadButton, SelectField, Table, View, When } from '../../components.ts';
import { bytesText } from '../../format.ts';
import { currentRoute, linkTo } from '../../state/router.ts';
import { FileDetail } from './detail.tsx';
import { purposes, type StoredFile } from './file.ts';
import { Upload } from './upload.tsx';

const pageSize = 100;

/** The list of the tenant’s files; at `#/files/{id}`, one file. */
export function Files() {
	const purpose = useSignal('');
	const files = usePages<StoredFile>('/v1/files', { limit: pageSize, purpose: purpose.value || undefined });
	const [id] = currentRoute.value.rest;
	if (id !== undefined) return <FileDetail key={id} id={id} onDeleted={() => files.change(id)} />;
	return (
		<View
			title="Files"
			lead="Files that were uploaded with keys of this tenant. Requests name a file by its id."
			actions={<ReloadButton of={files} />}
		>
			<Upload onUploaded={files.reload} />
			<div class="filter">
				<SelectField label="Purpose" options={[['', 'All purposes'], ...purposes]} {...bound(purpose)} />
			</div>
			<LoadedPages
				of={files}
				noun="files"
				empty={<Empty icon="files" title={purpose.value ? 'No files with this purpose' : 'No files yet'} />}
			>
				{(items) => <List files={items} />}
			</LoadedPages>
		</View>
	);
}

function List({ files }: { readonly files: readonly StoredFile[] }) {
	return (
		<Table
			caption="Files"
			rows={files}
			keyOf={({ id }) => id}
			columns={[
				{ title: 'Name', isHead: true, cell: ({ id, filename }) => <a href={linkTo('files', [id])}>{filename}</a> },
				{ title: 'Size', align: 'right', cell: ({ bytes }) => bytesText(bytes) },
				{ title: 'Type', cell: ({ media_type: type }) => type },
				{ title: 'Purpose', cell: ({ purpose }) => purpose },
				{ title: 'Uploaded', cell: ({ created_at: at }) => <When at={at} /> },
				{ title: 'Expires', cell: ({ expires_at: at }) => <When at={at} none="never" /> },
			]}
		/>
	);
}
