import { useSignal } from '@preact/signals';
import { ApiError } from '../../../api.ts';
import { Badge, bound, ErrorNote, Progress, SelectField, Text } from '../../../components.ts';
import type { Run } from '../desk/run.ts';
import type { DocumentsResult, Page, ReadDocument } from '../work/documents.ts';

/** The texts of documents, page by page, beside the page itself if the browser can show it. */
export function Documents({ run }: { readonly run: Run<DocumentsResult> }) {
	const { uploaded, documents } = run.result.value ?? {};
	if (!documents) return null;
	if (documents.length === 0 && run.state.value === 'running') return <Progress label="Upload" value={uploaded} />;
	return (
		<ul class="stack">
			{documents.map((document, at) => (
				<li key={at}>
					<Document document={document} />
				</li>
			))}
		</ul>
	);
}

function Document({ document }: { readonly document: ReadDocument }) {
	const { filename = 'Document', media_type: type, page_count: count, truncated, metadata = {}, error } = document;
	const facts = [type, count && `${count} ${count === 1 ? 'page' : 'pages'}`, ...Object.values(metadata)];
	return (
		<section class="stack" aria-label={filename}>
			<h4>{filename}</h4>
			<p class="hint">
				{facts.filter(Boolean).join(' · ')} {truncated && <Badge tone="warn">cut off</Badge>}
			</p>
			{error ? (
				<ErrorNote error={new ApiError(error.message, { code: error.code })} />
			) : (
				<Content document={document} name={filename} />
			)}
		</section>
	);
}

/** The text of the chosen page, or of the whole document, beside its original. */
function Content({ document, name }: { readonly document: ReadDocument; readonly name: string }) {
	const { content, original } = document;
	const chosen = useSignal('0');
	const page = content.pages?.[Number(chosen.value)];
	const missing = missingOriginal(document);
	return (
		<>
			{missing && <p class="hint">{missing}</p>}
			<div class={missing ? '' : 'beside'}>
				{original && !missing && <Original document={document} name={name} page={page?.page ?? 1} />}
				<div class="stack">
					{content.pages && content.pages.length > 1 && (
						<SelectField
							label="Page"
							options={content.pages.map((each, at) => [String(at), headingOf(each)] as const)}
							{...bound(chosen)}
						/>
					)}
					{page?.needs_ocr && <p class="hint">This page is a picture whose text was not read.</p>}
					<Text text={(page ?? content).text || 'No text.'} />
				</div>
			</div>
		</>
	);
}

/** Why the original is not shown beside the text; undefined if it is shown. */
function missingOriginal({ original, media_type: type }: ReadDocument): string | undefined {
	if (original === undefined) return 'Only PDFs and pictures from this form are shown beside their text.';
	if (type !== 'application/pdf' || navigator.pdfViewerEnabled) return undefined;
	return 'This browser shows no PDFs inside a page, so only the text is shown.';
}

/** The document: a picture, or a page of the PDF in the viewer of the browser. */
function Original({
	document: { media_type: type, original },
	name,
	page,
}: {
	readonly document: ReadDocument;
	readonly name: string;
	readonly page: number;
}) {
	if (type !== 'application/pdf') return <img class="media" src={original} alt={`The document ${name}`} />;
	// A new frame for each page: viewers ignore a changed fragment, and each change would add a history entry.
	return (
		<iframe key={page} class="playground-pdf" src={`${original}#page=${page}`} title={`Page ${page} of ${name}`} />
	);
}

function headingOf({ page, text, needs_ocr: needsOcr }: Page): string {
	return `${page}: ${needsOcr ? 'a picture' : text.trim().slice(0, 60) || 'empty'}`;
}
