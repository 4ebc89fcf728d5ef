import type { IDataObject } from 'n8n-workflow';
import { runAction, type ActionRun } from './n8n';
import { startOtherService, type OtherService } from './otherService';
import { byId } from './parameters';

/** Record operations on a card of another service, which each test starts. */
export function otherRuns() {
	let service: OtherService | undefined;
	afterEach(async () => await service?.close());
	const started = (): OtherService => {
		if (!service) throw new Error("The service hasn't been started");
		return service;
	};
	return {
		/** Starts it, with records that hold these values. */
		start: async (fields: OtherService['fields'], data: IDataObject[] = []) =>
			(service = await startOtherService(fields, structuredClone(data))),
		runOther: async (
			operation: string,
			parameters: IDataObject = {},
			items: IDataObject[] = [{}],
			more: Partial<ActionRun> = {},
		) =>
			await runAction({
				credentials: started().credentials,
				items,
				parameters: { resource: 'record', operation, cardId: byId('c'), ...parameters },
				...more,
			}),
		/** The bodies of the changes that were sent. */
		bodies: () => started().changes.map(({ body }) => body),
	};
}
