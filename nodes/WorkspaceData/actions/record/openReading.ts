import type { Locator } from '../../records/locator';
import { recordOutput, type OutputOptions } from '../../records/recordOutput';
import type { Run } from '../../records/run';
import { requestOptions } from '../operation/readParameters';

/** Opens the card whose records an operation returns. @throws InputError for a card or field that doesn't exist */
export async function openReading(
	run: Run,
	locator: Locator,
	simple: boolean,
	options: Omit<OutputOptions, 'simple'> & { timeout?: number },
) {
	const request = requestOptions(options);
	const card = await run.findCard(locator, request);
	const index = await run.fieldsOf(card, request);
	return { card, index, request, output: recordOutput(index, { ...options, simple }) };
}
