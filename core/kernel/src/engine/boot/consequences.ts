import type { BootProblem } from './problem.ts';

/**
 * The problems without those that are likely to go with what could not be loaded or read: nobody can say what a preset, a backend or a plugin that is not there would
 * have brought. What is wrong besides is told by the next start.
 */
export function withoutConsequences(problems: readonly BootProblem[]): readonly BootProblem[] {
	const lost = problems.filter(isLoss);
	const isLost = (...sections: readonly string[]) =>
		lost.some(({ path }) => sections.includes(path.replace(/\..*/s, '')));
	const hidden: Partial<Record<BootProblem['code'], boolean>> = {
		E_SERVICE_MISSING: isLost('extends', 'backends'),
		E_MODEL_UNUSED: isLost('extends', 'plugins'),
	};
	return problems.filter(({ code }) => !hidden[code]);
}

/** A whole entry or preset, as opposed to one option of it. */
function isLoss({ code, path }: BootProblem): boolean {
	if (code === 'E_CONFIG_NAME' || code === 'E_CONFIG_LOAD') return true;
	return code === 'E_CONFIG_SHAPE' && /^(?:backends|plugins)\./.test(path);
}
