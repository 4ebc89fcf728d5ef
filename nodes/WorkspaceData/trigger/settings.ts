import type { NodeParameterValueType } from 'n8n-workflow';
import { InputError } from '../model/inputError';
import { findCardByName, readLocator } from '../model/locator';
import type { WorkspaceApi } from '../transport/api';
import { toAuthentication, type Authentication } from '../transport/credential';
import { listCards, type ReadOptions } from '../transport/listings';
import { DEFAULT_OVERLAP_MINUTES } from './properties';

/** How lifecycle calls are sent: n8n waits for them, and tries again itself. */
export const LIFECYCLE_CALL = { impatient: true, timeoutMs: 10_000 } as const;

const MINUTE_MS = 60_000;

/** A context whose parameters belong to no item. */
interface ParameterPlace {
	getNodeParameter(name: string, fallback?: unknown): NodeParameterValueType | object;
}

/** The parameters of the trigger node. */
export interface TriggerSettings {
	authentication: Authentication;
	events: string[];
	/** The locator of the card; undefined for all cards. */
	card: unknown;
	simple: boolean;
	fieldKeys: 'name' | 'id';
	/** Names or ids of fields; empty for all. */
	watchFields: string[];
	ignoreDuplicates: boolean;
	/** Infinity for any age. */
	maxEventAgeMs: number;
	catchUp: boolean;
	overlapMs: number;
}

const toNames = (value: unknown): string[] =>
	(Array.isArray(value) ? value : String(value ?? '').split(','))
		.map((name) => String(name).trim())
		.filter((name) => name !== '');

function toMinutesMs(value: unknown, parameter: string): number {
	const minutes = Number(value);
	if (Number.isFinite(minutes) && minutes >= 0) return minutes * MINUTE_MS;
	throw new InputError(`'${parameter}' cannot be '${String(value)}'`, 'Enter a number of minutes.');
}

/**
 * Reads the parameters.
 *
 * @throws InputError for a value that cannot be used; names the parameter
 */
export function readSettings(context: ParameterPlace): TriggerSettings {
	const events = toNames(context.getNodeParameter('events', []));
	if (events.length === 0) {
		throw new InputError("'Trigger On' is empty", 'Choose at least one event.');
	}
	const watch = context.getNodeParameter('watch', 'allCards');
	if (watch !== 'allCards' && watch !== 'oneCard') {
		throw new InputError(`'Watch' cannot be '${String(watch)}'`, 'Choose All Cards or One Card.');
	}
	const given = context.getNodeParameter('options', {});
	const options = (typeof given === 'object' ? given : {}) as Record<string, unknown>;
	const maxAge = toMinutesMs(options.maxEventAge ?? 0, 'Max Event Age');
	return {
		authentication: toAuthentication(context.getNodeParameter('authentication', 'apiKey')),
		events,
		card: watch === 'oneCard' ? context.getNodeParameter('cardId', '') : undefined,
		simple: context.getNodeParameter('simple', true) !== false,
		fieldKeys: options.fieldKeys === 'id' ? 'id' : 'name',
		watchFields: toNames(options.watchFields),
		ignoreDuplicates: options.ignoreDuplicates !== false,
		maxEventAgeMs: maxAge === 0 ? Infinity : maxAge,
		catchUp: options.catchUp === true,
		overlapMs: toMinutesMs(options.overlap ?? DEFAULT_OVERLAP_MINUTES, 'Overlap After a Restart'),
	};
}

/**
 * The card that is watched.
 *
 * @returns its id, or null for all cards
 * @throws InputError when none is chosen, or no card has the name
 */
export async function watchedCard(
	{ card }: TriggerSettings,
	api: WorkspaceApi,
	options: ReadOptions = {},
): Promise<string | null> {
	if (card === undefined) return null;
	const { mode, text } = readLocator(card, 'Card');
	if (mode !== 'name') return text;
	return findCardByName(await listCards(api, options), text).id;
}
