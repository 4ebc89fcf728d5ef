/** Watched fields: which updates start the workflow. */
import type { IDataObject } from 'n8n-workflow';
import { signed, useDeliveries } from '../support/deliveries';
import type { watchWarnings } from '../support/trigger';
import type { TestCard, TestWorkspace } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
let warnings: ReturnType<typeof watchWarnings>;
const { activated, eventBody } = useDeliveries((made) => ({ workspace, card, warnings } = made));

const updated = (data: IDataObject) => eventBody({ event: 'record.updated', data });

it('starts only when a watched field changed, by name or id', async () => {
	const { Title, Pages } = card.fieldIds;
	for (const field of ['Pages', Pages, 'pages']) {
		const trigger = await activated({ options: { watchFields: [field] } });
		const title = await trigger.deliver(signed(trigger, updated({ [String(Title)]: 'x' })));
		expect(title).toEqual({ status: 200, items: undefined });
		const pages = await trigger.deliver(signed(trigger, updated({ [String(Pages)]: null })));
		expect(pages.items?.[0]?.fields).toEqual({ Pages: null });
		// Other events have no changed fields.
		const created = await trigger.deliver(signed(trigger, eventBody()));
		expect(created.items).toHaveLength(1);
	}
});

it('starts when nobody can say which field a watched name means', async () => {
	const own = await workspace.card('Watched', [{ name: 'Title', type: 'text' }]);
	const trigger = await activated({ options: { watchFields: ['Title'] } });
	workspace.service.control.fail({ method: 'GET', path: '/fields$', status: 500, times: 5 });
	const data = { [String(own.fieldIds.Title)]: 'x' };
	const body = eventBody({ event: 'record.updated', card_id: own.id, data });
	expect((await trigger.deliver(signed(trigger, body))).items).toHaveLength(1);
});

describe('names of watched fields', () => {
	async function watching(fields: string[], watchFields: string[], watch = 'oneCard') {
		const own = await workspace.card(
			'Watched',
			fields.map((name) => ({ name, type: 'text' })),
		);
		const cardId = { __rl: true, mode: 'id', value: own.id };
		const trigger = await activated({ watch, cardId, options: { watchFields } });
		const change = async (fieldId: unknown) => {
			const body = { ...updated({ [String(fieldId)]: 'x' }), card_id: own.id };
			return (await trigger.deliver(signed(trigger, body))).items;
		};
		return { ...own, change };
	}

	it('that were changed at the service: every update starts, and the log says why', async () => {
		const { fieldIds, change } = await watching(['New name', 'Other'], ['Old name']);
		expect(await change(fieldIds['New name'])).toHaveLength(1);
		expect(await change(fieldIds.Other)).toHaveLength(1);
		expect(warnings.lines).toEqual([expect.stringContaining("no field 'Old name' to watch")]);
	});

	it('that were added a moment ago', async () => {
		const { id, fieldIds, change } = await watching(['Other', 'A'], ['A', 'B']);
		expect(await change(fieldIds.A)).toHaveLength(1);
		const { id: added } = (await workspace.send('POST', `/cards/${id}/fields`, {
			name: 'B',
			type: 'text',
		})) as { id: string };
		expect(await change(added)).toHaveLength(1);
		expect(await change(fieldIds.Other)).toBeUndefined();
		expect(warnings.lines).toEqual([]);
	});

	it('that two fields have', async () => {
		const { id, fieldIds, change } = await watching(['A', 'Other'], ['A']);
		workspace.service.control.fail({
			method: 'GET',
			path: '/fields$',
			status: 200,
			body: 'json',
			json: {
				fields: [
					{ field_id: fieldIds.A, name: 'A', type: 'text', card_id: id },
					{ field_id: 'fld_second', name: 'A', type: 'text', card_id: id },
					{ field_id: fieldIds.Other, name: 'Other', type: 'text', card_id: id },
				],
			},
		});
		expect(await change('fld_second')).toHaveLength(1);
		expect(await change(fieldIds.A)).toHaveLength(1);
		expect(await change(fieldIds.Other)).toBeUndefined();
	});

	it('that other cards have', async () => {
		const { fieldIds, change } = await watching(['Other'], ['Title'], 'allCards');
		expect(await change(fieldIds.Other)).toBeUndefined();
		expect(warnings.lines).toEqual([]);
	});
});
