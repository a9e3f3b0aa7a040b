import type { ModelDefinition, ModelShape } from '../../contract/model.ts';
import { nearest } from '../../contract/words.ts';
import { unknownNames } from '../config/describe-issue.ts';
import { type BootProblem, bootProblem, type ProblemPlace } from './problem.ts';

type Report = (message: string, remedy?: string) => void;
type Members = Readonly<Record<string, unknown>>;

/** The mistakes in the version, the functions and the `abilities` of a model that a factory has created. */
export function modelProblems(
	part: ProblemPlace & { readonly definition: Pick<ModelDefinition, 'kind'> },
	model: object,
): readonly BootProblem[] {
	const { shape, name: kind } = part.definition.kind;
	if (!shape) return [];
	const members = model as Members;
	const problems: BootProblem[] = [];
	const report: Report = (message, remedy) => problems.push(bootProblem('E_MODEL_SHAPE', part, message, remedy));

	if (members.apiVersion !== shape.apiVersion) {
		const version = members.apiVersion === undefined ? 'missing' : shown(members.apiVersion);
		const message = `its apiVersion is ${version}; ${kind} models of this server have ${shape.apiVersion}.`;
		problems.push(bootProblem('E_API_VERSION', part, message));
	}
	checkFunctions(members, shape, report);
	checkAbilities(members.abilities, shape.abilities, report);
	return problems;
}

function checkFunctions(members: Members, { functions, abilities }: ModelShape, report: Report): void {
	const expected = ['apiVersion', 'abilities', ...Object.keys(functions)];
	const unknown = namesOf(members).filter((name) => !expected.includes(name));
	const isMisspelt = (name: string, type: string) => {
		const candidates = unknown.filter((other) => typeof members[other] === type);
		const other = nearest(name, candidates);
		if (other) report(`its ${name} is missing; it has ${other}.`, `Did you mean \`${name}\`?`);
		return other !== undefined;
	};

	for (const [name, need] of Object.entries(functions)) {
		if (typeof members[name] === 'function') continue;
		if (members[name] !== undefined) report(`its ${name} is no function.`);
		else if (need === 'required' && !isMisspelt(name, 'function')) report(`its ${name} is missing.`);
	}
	const choice = Object.keys(functions).filter((name) => functions[name] === 'oneOf');
	if (choice.length > 0 && choice.every((name) => members[name] === undefined)) {
		const isReported = choice.some((name) => isMisspelt(name, 'function'));
		if (!isReported) report(`its ${choice.join(' or ')} is missing.`);
	}
	if (abilities && members.abilities === undefined) isMisspelt('abilities', 'object');
}

function checkAbilities(value: unknown, known: ModelShape['abilities'], report: Report): void {
	if (value === undefined || !known) return;
	if (typeof value !== 'object' || value === null) {
		report('its abilities are no object.');
		return;
	}
	for (const [name, ability] of Object.entries(value)) {
		const type = Object.hasOwn(known, name) ? known[name] : undefined;
		if (!type) {
			report(`its abilities have "${name}", which is not known.`, unknownNames([name], Object.keys(known)));
		} else if (ability !== undefined && (type === 'array' ? !Array.isArray(ability) : typeof ability !== type)) {
			report(`its abilities.${name} is ${shown(ability)}; its type must be ${type}.`);
		}
	}
}

/** The names of all members, including those of its class. */
function namesOf(value: object): readonly string[] {
	const names: string[] = [];
	for (let at = value; at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
		names.push(...Object.getOwnPropertyNames(at).filter((name) => name !== 'constructor'));
	}
	return names;
}

function shown(value: unknown): string {
	return typeof value === 'object'
		? `an ${Array.isArray(value) ? 'array' : 'object'}`
		: (JSON.stringify(value) ?? typeof value);
}
