import type { IExecuteFunctions } from 'n8n-workflow';
import type { Card } from '../model/card';
import { indexFields, type FieldIndex } from '../model/fieldResolution';
import { InputError } from '../model/inputError';
import { openApi, type WorkspaceApi } from '../transport/api';
import { toAuthentication } from '../transport/credential';
import {
	listCards,
	listFields,
	openRecordListing,
	type ReadOptions,
	type RecordListing,
} from '../transport/listings';
import type { Locator } from './operation';

/** A card that an item works on, and how messages call it. */
export interface CardReference {
	id: string;
	name: string;
}

/** What all items of one execution share, so that nothing is read twice. */
export interface Run {
	context: IExecuteFunctions;
	api: WorkspaceApi;
	/** Finds the card that a locator means. @throws InputError */
	card(locator: Locator, options?: ReadOptions): Promise<CardReference>;
	/** The fields of a card, read once per execution. */
	fields(card: CardReference, options?: ReadOptions): Promise<FieldIndex>;
	/** The fields of a card, read a second time and no more: the first listing may have grown old. */
	freshFields(card: CardReference, options?: ReadOptions): Promise<FieldIndex>;
	/** The records of a card, read once per execution. */
	records(card: CardReference, wanted: number, options?: ReadOptions): RecordListing;
	/** What `create` gave for a key the first time. */
	shared<T>(key: string, create: () => T): T;
	/** Runs a task after all earlier tasks with the same key. */
	inOrder<T>(key: string, task: () => Promise<T>): Promise<T>;
	/** Puts field names where a text has field ids. */
	withFieldNames(text: string): string;
	/** Tells the user something about this run, beside its output; once, however often it is said. */
	hint(message: string): void;
}

/** A value for a field that shows an id to the user: the text of a locator. */
function locatorText(value: unknown, parameter: string): string {
	const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
	if (text !== '') return text;
	throw new InputError(`'${parameter}' is empty`, `Choose or enter a value for '${parameter}'.`);
}

/**
 * Reads a resource locator. An expression may give the bare id instead of mode and value.
 *
 * @param parameter the name that the user sees in messages
 * @throws InputError when nothing is chosen
 */
export function readLocator(
	value: unknown,
	parameter: string,
): { mode: string; text: string; shown: string } {
	const locator: Partial<Locator> =
		typeof value === 'object' && value !== null ? value : { mode: 'id', value };
	const text = locatorText(locator.value, parameter);
	return { mode: locator.mode ?? 'id', text, shown: locator.cachedResultName || text };
}

/** The card of this name: the exact name, or one that differs only in case. */
function findCardByName(cards: readonly Card[], name: string): Card {
	const exact = cards.filter((card) => card.name === name);
	const folded = cards.filter((card) => card.name.trim().toLowerCase() === name.toLowerCase());
	const found = exact.length > 0 ? exact : folded;
	const [card] = found;
	if (card && found.length === 1) return card;
	if (card) {
		throw new InputError(
			`The workspace has ${found.length} cards called '${name}'`,
			`Choose the card by its id: ${found.map(({ id }) => id).join(', ')}.`,
		);
	}
	const names = cards.slice(0, 10).map((other) => `'${other.name}'`);
	throw new InputError(
		`The workspace has no card called '${name}'`,
		names.length > 0 ? `Its cards are ${names.join(', ')}.` : 'It has no cards yet.',
	);
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
	const queues = new Map<string, Promise<unknown>>();
	const fieldNames = new Map<string, string>();

	function shared<T>(key: string, create: () => T): T {
		if (!kept.has(key)) kept.set(key, create());
		return kept.get(key) as T;
	}

	async function readFields(card: CardReference, options?: ReadOptions): Promise<FieldIndex> {
		const fields = await listFields(api, card.id, options);
		for (const { id, name } of fields) fieldNames.set(id, name);
		const index = indexFields(fields, card.name);
		const shown = fields.filter((field) => index.keyOf(field) !== field.name);
		if (shown.length > 0) {
			const names = [...new Set(shown.map(({ name }) => `'${name}'`))].join(', ');
			hint(`Card '${card.name}' has several fields called ${names}: they appear under their ids`);
		}
		return index;
	}

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
		async card(locator, options) {
			const { mode, text, shown } = readLocator(locator, 'Card');
			if (mode !== 'name') return { id: text, name: shown };
			const cards = await shared('cards', async () => await listCards(api, options));
			const { id, name } = findCardByName(cards, text);
			return { id, name };
		},
		async fields(card, options) {
			return await shared(`fields ${card.id}`, async () => await readFields(card, options));
		},
		async freshFields(card, options) {
			const fresh = shared(`fresh fields ${card.id}`, async () => await readFields(card, options));
			kept.set(`fields ${card.id}`, fresh);
			return await fresh;
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
			return text.replace(/[\w-]+/g, (word) => {
				const name = /\D/.test(word) ? fieldNames.get(word) : undefined;
				return name === undefined || name === word ? word : `'${name}'`;
			});
		},
	};
}
