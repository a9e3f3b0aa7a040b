import { Button, Download } from '../../../components.ts';
import { goTo, linkTo } from '../../../state/router.ts';
import { deskOf } from '../desk/desk.ts';
import type { Run } from '../desk/run.ts';
import { offered } from '../loaded.ts';
import type { Picture, PicturesResult } from '../work/pictures.ts';

/** The pictures of a run, including unfinished ones. */
export function Pictures({ run }: { readonly run: Run<PicturesResult> }) {
	const { pictures, format, filtered } = run.result.value ?? {};
	if (!pictures) return null;
	const canEdit = offered.value?.offers.some(({ capability }) => capability.id === 'edit');
	return (
		<>
			<ul class="columns">
				{[...pictures].map((picture, at) =>
					picture ? (
						<li key={at} class="stack">
							{picture.blob ? (
								<img
									class={`media ${picture.isPartial ? 'partial' : ''}`}
									src={picture.address}
									alt={picture.isPartial ? `Unfinished picture ${at + 1}` : `Picture ${at + 1}`}
								/>
							) : (
								<a href={picture.address} target="_blank" rel="noreferrer">{`Picture ${at + 1}`}</a>
							)}
							{picture.revisedPrompt && <p class="hint">{picture.revisedPrompt}</p>}
							{picture.blob && !picture.isPartial && (
								<div class="row">
									<Download address={picture.address} name={`picture-${at + 1}.${format}`} />
									{canEdit && <Button onClick={() => edit(picture, format)}>Edit it</Button>}
								</div>
							)}
						</li>
					) : null,
				)}
			</ul>
			{(filtered ?? 0) > 0 && <p>The model withheld {filtered} of the pictures.</p>}
		</>
	);
}

/** Opens the edit form with a picture. */
function edit({ blob = new Blob() }: Picture, format = 'png'): void {
	const desk = deskOf('edit');
	desk.setFiles('image', [new File([blob], `picture.${format}`, { type: blob.type })]);
	desk.setFiles('mask', []);
	goTo(linkTo('playground', ['edit']));
}
