import type { JsonObject } from './n8nClient.ts';
import type { ServiceAccess } from './serviceProcess.ts';

/** A field to create: name, type and, for choices, options. */
export type FieldDraft = [name: string, type: string, options?: unknown];

/** A card with its fields. */
export interface TestCard {
	id: string;
	name: string;
	/** Field names to ids. */
	fields: Record<string, string>;
}

/** The service's own REST interface, called without n8n and without our nodes. */
export type ServiceApi = ReturnType<typeof createServiceApi>;

/** @param access as the service printed it */
export function createServiceApi(access: ServiceAccess) {
	const root = `${access.baseUrl}/workspaces/${access.workspaceId}`;

	async function call<Answer = JsonObject>(
		method: string,
		path: string,
		body?: unknown,
	): Promise<Answer> {
		const response = await fetch(root + path, {
			method,
			headers: { authorization: `Bearer ${access.apiKey}`, 'content-type': 'application/json' },
			body: body === undefined ? undefined : JSON.stringify(body),
		});
		const text = await response.text();
		if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
		return (text === '' ? {} : JSON.parse(text)) as Answer;
	}

	/** Creates a card with fields. */
	async function createCard(name: string, fields: readonly FieldDraft[] = []): Promise<TestCard> {
		const card = await call<{ id: string }>('POST', '/cards', { name });
		const ids: Record<string, string> = {};
		for (const [fieldName, type, options] of fields) {
			const body = { name: fieldName, type, ...(options ? { options } : {}) };
			ids[fieldName] = (await call<{ id: string }>('POST', `/cards/${card.id}/fields`, body)).id;
		}
		return { id: card.id, name, fields: ids };
	}

	/** The card of that name, which is there. */
	async function findCard(name: string): Promise<TestCard> {
		interface Named {
			id: string;
			name: string;
		}
		const { cards } = await call<{ cards: Named[] }>('GET', '/cards');
		const id = cards.find((card) => card.name === name)?.id ?? '';
		const { fields } = await call<{ fields: Named[] }>('GET', `/cards/${id}/fields`);
		return { id, name, fields: Object.fromEntries(fields.map((field) => [field.name, field.id])) };
	}

	/** Creates a record from values by field name and gives its id. */
	async function createRecord(card: TestCard, values: JsonObject): Promise<string> {
		const data = Object.fromEntries(
			Object.entries(values).map(([name, value]) => [card.fields[name] ?? name, value]),
		);
		return (await call<{ id: string }>('POST', `/cards/${card.id}/records`, { data })).id;
	}

	/** All records of a card, values by field name. */
	async function records(card: TestCard): Promise<Array<{ id: string; fields: JsonObject }>> {
		const names = new Map(Object.entries(card.fields).map(([name, id]) => [id, name]));
		const found: Array<{ id: string; fields: JsonObject }> = [];
		let cursor: string | null = null;
		do {
			const query = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
			const page: { records: Array<{ id: string; data: JsonObject }>; next_cursor: string | null } =
				await call('GET', `/cards/${card.id}/records?limit=100${query}`);
			for (const { id, data } of page.records) {
				const entries = Object.entries(data).map(([key, value]) => [names.get(key) ?? key, value]);
				found.push({ id, fields: Object.fromEntries(entries) as JsonObject });
			}
			cursor = page.next_cursor;
		} while (cursor !== null);
		return found;
	}

	return { call, createCard, findCard, createRecord, records };
}
