/** What an execution leaves behind on its way to the service. */
import type { IExecuteFunctions } from 'n8n-workflow';
import { createRun } from '../../../../nodes/WorkspaceData/actions/run/run';
import type { Session } from '../../../../nodes/WorkspaceData/transport/session';
import { Cancelled, Unreachable } from '../../../../nodes/WorkspaceData/transport/failure/failures';
import { createTestClock } from '../../../support/clock';

describe('an execution gives up while it adds a field', () => {
	const address = { baseUrl: 'https://data.example.com', workspaceId: 'w1' };
	const clock = createTestClock();
	const runWith = (cancel?: AbortController) => {
		const context = {
			getInputData: () => [{ json: {} }],
			getExecutionCancelSignal: () => cancel?.signal,
			getTimezone: () => 'UTC',
		} as unknown as IExecuteFunctions;
		const { signal: halted } = cancel ?? new AbortController();
		return createRun(
			context,
			{ ...address, halted } as Session,
			async () => await Promise.resolve(),
			clock,
		);
	};

	const lost = (sent: 'yes' | 'maybe') => new Unreachable('No answer', { transient: true, sent });

	test.each([
		['was cancelled, and may still be carried out: 30 s later', new Cancelled('maybe'), 30_000],
		['was cancelled, and never sent: at once', new Cancelled(), 0],
		['was not answered, and may still be carried out: 30 s later', lost('maybe'), 30_000],
		['has ended, whether it was carried out or not: at once', lost('yes'), 0],
	])('the next one looks for the field, if the request %s (H30)', async (_, error, waited) => {
		const cancel = new AbortController();
		const adding = runWith(cancel).writes.exclusively(
			'fields of c1',
			async () =>
				await new Promise((_resolve, reject) => {
					cancel.signal.addEventListener('abort', () => reject(error));
				}),
		);
		const start = clock.now();
		const looking = runWith().writes.exclusively('fields of c1', async () =>
			Promise.resolve(clock.now() - start),
		);
		const other = runWith().writes.exclusively('fields of c2', async () =>
			Promise.resolve(clock.now() - start),
		);
		cancel.abort();
		await expect(adding).rejects.toBe(error);
		expect(clock.now() - start).toBe(0);
		expect(await other).toBe(0);
		expect(await looking).toBe(waited);
	});
});
