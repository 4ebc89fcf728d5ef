/** What a run does when the fields of its card change: it reads them once more, and repeats an item or stops. */
import type { FieldIndex } from '../../records/fieldIndex';
import { InputError } from '../../values/inputError';
import { ApiFailure } from '../../transport/failure/failureKinds';
import type { CardWriter } from '../run/cardWriter';
import type { Run } from '../run/run';
import { convertValues, type ConvertedValues, type ItemWrite } from './itemValues';

/**
 * Does an item's work. If the service refuses it and the fields have been renamed or replaced since, the listing is
 * read once more, and the work starts again with the new IDs. Until that is known, no other item sends anything.
 *
 * @param live the values of the item, and the field listing of this run
 * @param work must be repeatable
 */
export async function withFreshFields<Result>(
	write: ItemWrite,
	live: ConvertedValues,
	work: (live: ConvertedValues) => Promise<Result>,
): Promise<Result> {
	const { run, card } = write;
	return await work(live).catch(async (error: unknown) => {
		if (!blamesFields(error)) throw error;
		const resume = run.session.pause();
		const request = { ...write.request, ahead: true };
		// The service's message about the record matters more than its message about a listing.
		const again = await run.fields
			.fresh(card, request)
			.catch(() => live.index)
			.then(async (fresh) => await convertValues({ ...write, request }, fresh))
			.finally(resume);
		if (Object.keys(again.data).join() === Object.keys(live.data).join()) throw error;
		return await work(again);
	});
}

/** Returns true for a refusal that an outdated field listing can explain. */
function blamesFields(error: unknown): boolean {
	return error instanceof ApiFailure && [400, 404, 409, 422].includes(error.problem.status);
}

/**
 * Requires that the fields haven't changed since the records were read. Otherwise values may have been missed.
 *
 * @throws InputError
 */
export async function requireSameFields(
	run: Run,
	{ card, request }: CardWriter,
	before: FieldIndex,
): Promise<void> {
	const fresh = await run.fields.fresh(card, request);
	const known = (fields: FieldIndex): string =>
		JSON.stringify(fields.fields.map(({ id, name }) => [id, name]));
	if (known(before) === known(fresh)) return;
	throw new InputError(
		`The fields of card '${card.name}' changed while its records were being read`,
		'Nothing was changed, because the conditions might now match other records. Run the node again.',
	);
}
