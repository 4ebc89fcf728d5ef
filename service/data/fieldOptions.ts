/** The choices of a select field: as clients send them, and as they are stored. */
import { type FieldOption, type FieldType, hasOptions } from '../foundation/fieldTypes.ts';
import { newId } from '../foundation/secrets.ts';
import { problem } from '../foundation/problem.ts';

/** An option as a client may send it: a name, or an object that has one. */
export type OptionInput = string | { id?: string; name: string } | { value: string; label: string };

const nameOf = (option: OptionInput) => {
	if (typeof option === 'string') return option;
	return 'name' in option ? option.name : option.label;
};

/** The option that an input means: the one whose id it carries, or else the one of its name. */
function findPresent(input: OptionInput, present: readonly FieldOption[]): FieldOption | undefined {
	const name = nameOf(input);
	const key = typeof input === 'string' ? undefined : 'name' in input ? input.id : input.value;
	return (
		present.find(({ id }) => id === key) ??
		present.find((option) => option.name === name) ??
		present.find((option) => option.name === key)
	);
}

/** Options as stored; one that is sent with its id, or whose name stays, keeps its id. */
export function toOptions(
	type: FieldType,
	input: readonly OptionInput[],
	present: readonly FieldOption[],
): FieldOption[] {
	const refuse = (detail: string) =>
		problem('validation-failed', `The options of a field: ${detail}.`, {
			errors: [{ pointer: '/options', detail }],
		});
	if (!hasOptions(type)) {
		if (input.length === 0) return [];
		throw refuse(`must be empty for type "${type}"`);
	}
	const names = input.map(nameOf);
	if (new Set(names).size !== names.length) throw refuse('names an option twice');
	const taken = new Set<string>();
	return input.map((option) => {
		const known = findPresent(option, present)?.id;
		const id = known === undefined || taken.has(known) ? newId('opt') : known;
		taken.add(id);
		return { id, name: nameOf(option) };
	});
}
