/** Labels for parameters whose names are unclear. */
const labels: Readonly<Record<string, string>> = {
	n: 'How many',
	stream: 'Show it while it is made',
	input: 'Text',
	input_reference: 'Picture to start from',
	image: 'Picture',
	files: 'Documents',
	file: 'Sound file',
	file_id: 'Uploaded file (id)',
	ocr: 'OCR',
	top_p: 'Top p',
	callback_url: 'Callback URL',
};

/** The name of a parameter as a label. */
export function labelOf(name: string): string {
	const words = name.replaceAll('_', ' ');
	return labels[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}
