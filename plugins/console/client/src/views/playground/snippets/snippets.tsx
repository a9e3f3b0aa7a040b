import { useSignal } from '@preact/signals';
import { addressOf } from '../../../api.ts';
import { Code, Tabs } from '../../../components.ts';
import type { Call } from '../call/call.ts';
import type { CapabilityId } from '../spec/capabilities.ts';
import { curlOf } from './curl.ts';
import { pythonOf } from './python.ts';
import { typescriptOf } from './typescript.ts';

const languages = {
	curl: { title: 'curl', text: (base: string, _: CapabilityId, call: Call) => curlOf(base, call) },
	python: { title: 'Python', text: pythonOf },
	typescript: { title: 'TypeScript', text: typescriptOf },
} as const;

/** The current call as code. The key comes from an environment variable. */
export function Snippets({ id, call }: { readonly id: CapabilityId; readonly call: Call }) {
	const chosen = useSignal<keyof typeof languages>('curl');
	const base = addressOf('').replace(/\/$/, '');
	const { title, text } = languages[chosen.value];
	const tabs = Object.entries(languages).map(([language, { title: shown }]) => ({ id: language, title: shown }));
	return (
		<section class="playground-snippets stack">
			<h2>The same call in code</h2>
			<Tabs
				label="Language"
				tabs={tabs}
				chosen={chosen.value}
				onChoose={(language) => (chosen.value = language as keyof typeof languages)}
			>
				<Code label={`The call with ${title}`} text={text(base, id, call)} />
			</Tabs>
		</section>
	);
}
