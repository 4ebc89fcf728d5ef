import type { IExecuteFunctions } from 'n8n-workflow';
import type { Card } from '../model/card';
import { indexFields, type FieldIndex } from '../model/fieldResolution';
import { findCardByName, readLocator, type Locator } from '../model/locator';
import { openApi, type WorkspaceApi } from '../transport/api';
import { toAuthentication } from '../transport/credential';
import {
	listFields,
	openCardListing,
	openRecordListing,
	type ReadOptions,
	type RecordListing,
} from '../transport/listings';
import type { Listing } from '../transport/paging';

/** A card that an item works on, and how messages call it. */
export interface CardReference {
	id: string;
	name: string;
}

/** What all items of one execution share, so that nothing is read twice. */
export interface Run {
	context: IExecuteFunctions;
	api: WorkspaceApi;
	/** The cards of the workspace, read once per execution. */
	cards(options?: ReadOptions): Listing<Card>;
	/** Finds the card that a locator means. @throws InputError */
	card(locator: Locator, options?: ReadOptions): Promise<CardReference>;
	/** The fields of a card, read once per execution. */
	fields(card: CardReference, options?: ReadOptions): Promise<FieldIndex>;
	/** The fields of a card, read a second time and no more: the first listing may have grown old. */
	freshFields(card: CardReference, options?: ReadOptions): Promise<FieldIndex>;
	/** The records of a card, read once per execution. */
	records(card: CardReference, wanted: number, options?: ReadOptions): RecordListing;
	/** What `create` gave for a key the first time; for a key of `owner`, where there is one. */
	shared<T>(key: string, create: () => T, owner?: object): T;
	/** Runs a task after all earlier tasks with the same key. */
	inOrder<T>(key: string, task: () => Promise<T>): Promise<T>;
	/** Puts field names where a text has field ids. */
	withFieldNames(text: string): string;
	/** Tells the user something about this run, beside its output; once, however often it is said. */
	hint(message: string): void;
}

/**
 * Opens what the items of one execution share.
 *
 * @throws InputError when the credential is missing or cannot be used
 */
export async function openRun(context: IExecuteFunctions): Promise<Run> {
	// Not an expression: the same for all items.
	const authentication = toAuthentication(context.getNodeParameter('authentication', 0, 'apiKey'));
	const api = await openApi(context, authentication);
	const kept = new Map<string, unknown>();
	const keptFor = new WeakMap<object, Map<string, unknown>>();
	const queues = new Map<string, Promise<unknown>>();
	const fieldNames = new Map<string, string>();

	function shared<T>(key: string, create: () => T, owner?: object): T {
		const values = owner === undefined ? kept : (keptFor.get(owner) ?? new Map<string, unknown>());
		if (owner !== undefined) keptFor.set(owner, values);
		if (!values.has(key)) values.set(key, create());
		return values.get(key) as T;
	}

	async function readFields(card: CardReference, options?: ReadOptions): Promise<FieldIndex> {
		const fields = await listFields(api, card.id, options);
		for (const { id, name } of fields) fieldNames.set(id, name);
		const index = indexFields(fields, card.name);
		const shown = fields.filter((field) => index.keyOf(field) !== field.name);
		if (shown.length > 0) {
			const names = [...new Set(shown.map(({ name }) => `'${name}'`))].join(', ');
			hint(
				`Fields of card '${card.name}' called ${names} appear under their ids: the names are not unique`,
			);
		}
		return index;
	}

	const cards = (options?: ReadOptions) => shared('cards', () => openCardListing(api, options));

	function hint(message: string): void {
		shared(`hint ${message}`, () => {
			context.addExecutionHints({ message, location: 'outputPane' });
			return true;
		});
	}

	return {
		context,
		api,
		shared,
		hint,
		cards,
		async card(locator, options) {
			const { mode, text, shown } = readLocator(locator, 'Card');
			if (mode !== 'name') return { id: text, name: shown };
			const { id, name } = findCardByName(await cards(options).first(Infinity), text);
			return { id, name };
		},
		async fields(card, options) {
			return await shared(`fields ${card.id}`, async () => await readFields(card, options));
		},
		async freshFields(card, options) {
			return await shared(`fresh fields ${card.id}`, async () => {
				const fresh = await readFields(card, options);
				kept.set(`fields ${card.id}`, Promise.resolve(fresh));
				return fresh;
			});
		},
		records(card, wanted, options) {
			return shared(`records ${card.id} ${wanted}`, () =>
				openRecordListing(api, card.id, wanted, options),
			);
		},
		async inOrder(key, task) {
			const earlier = queues.get(key) ?? Promise.resolve();
			const result = earlier.then(task, task);
			queues.set(key, result);
			return await result;
		},
		withFieldNames(text) {
			// With the quotes that the service put around the id, or none.
			return text.replace(/(["'`]?)([\w-]+)\1/g, (quoted, _quote, word: string) => {
				const name = /\D/.test(word) ? fieldNames.get(word) : undefined;
				return name === undefined || name === word ? quoted : `'${name}'`;
			});
		},
	};
}
