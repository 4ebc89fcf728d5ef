/** Writes records: fields → convert → records → plan → apply → output, for all items and cards of a run. */
import type { DataRecord } from '../transport/api';
import { isSame } from '../values/identity';
import { inParallel } from '../values/inParallel';
import { InputError } from '../values/inputError';
import { addGrowth, hintAtGrowth } from './addGrowth';
import { applySteps } from './apply';
import { convert } from './convert';
import { requireFirstDeletion } from './deletionRuns';
import type { Entry } from './entry';
import type { CardWork } from './cardWork';
import type { FieldIndex } from './fieldIndex';
import { readFilter } from './filter';
import { planGrowth } from './growth';
import { hold } from './heldCards';
import { MatchKey } from './matchKey';
import { planWrites } from './plan';
import type { Rules, SyncRules } from './planned';
import { failureOf, inputErrorOf } from './refusals';
import { isNodeKey } from './recordOutput';
import type { CardReference, Run } from './run';
import { StepOutput } from './stepOutput';
import type { WriteResults } from './writeResults';

/**
 * Writes to cards. Nothing is sent that changes anything before all items of all cards are found valid, unless the run
 * continues on errors.
 *
 * @param results receives what comes of each item
 */
export async function writeCards(
	run: Run,
	cards: readonly CardWork[],
	results: WriteResults,
): Promise<void> {
	let works = cards;
	let letGo = (): void => {};
	const each = async (stage: (work: CardWork) => Promise<void>): Promise<void> => {
		if (!results.isStopped) works = await eachCard(run, works, results, stage);
	};
	try {
		await each(async (work) => await readFields(run, work));
		if (!results.isStopped) letGo = await hold(run.api, namesToHold(works));
		await each(async (work) => {
			if (work.growth && !work.isDry && !work.create) await readFields(run, work, true);
			await convertCard(run, work, results);
		});
		await each(async (work) => await readRecords(run, work));
		await each(async (work) => await planCard(run, work, results));
		await each(async (work) => await growCard(run, work, results));
		if (results.isStopped) return;
		// The steps have the records that they need.
		for (const work of works) work.records = undefined;
		const outcomes = await applySteps(
			run,
			works.filter(({ isDry }) => !isDry),
			letGo,
		);
		for (const work of works) await results.add(work, outcomes);
	} finally {
		letGo();
	}
}

/** Does a stage for each card, in parallel. @returns the cards that are left: the items of the others are errors */
async function eachCard(
	run: Run,
	works: readonly CardWork[],
	results: WriteResults,
	stage: (work: CardWork) => Promise<void>,
): Promise<CardWork[]> {
	const failed = new Set<CardWork>();
	await inParallel(run.api.width({}), works, async (work) => {
		await stage(work).catch((error: unknown) => {
			results.refuseCard(work, failureOf(error));
			failed.add(work);
		});
	});
	return works.filter((work) => !failed.has(work));
}

/** The cards that others of this process must not read or grow meanwhile. */
const namesToHold = (works: readonly CardWork[]): string[] =>
	works
		.filter(({ isDry, create }) => !isDry && !create)
		.filter(({ growth, entries }) => growth || entries[0]?.find.by === 'key')
		.map(({ card }) => card.id);

const requestOf = ({ entries }: CardWork) => entries[0]?.settings.request ?? {};

/** Reads the fields of a card, and plans what its items add. */
async function readFields(run: Run, work: CardWork, isHeld = false): Promise<void> {
	const { card, entries } = work;
	await requireCommonSettings(run, entries, card);
	const read = async () =>
		await (isHeld ? run.fieldsAgain(card, requestOf(work)) : run.fieldsOf(card, requestOf(work)));
	if (card.id !== '') work.index = await read();
	work.growth = await planGrowth(run, entries, work.index);
}

/** @throws InputError if items of one card differ in what must be one */
async function requireCommonSettings(
	run: Run,
	entries: readonly Entry[],
	{ name }: CardReference,
): Promise<void> {
	const [first] = entries;
	const textOf = ({ common, settings }: Entry) => {
		const { addsFields, addsChoices, rules, request } = settings;
		const formats = addsFields && rules.formats;
		return JSON.stringify([common?.value, addsFields, addsChoices, formats, request]);
	};
	const text = first && textOf(first);
	for (const entry of entries) {
		await run.breathe();
		if (!first || (entry.settings === first.settings && !entry.common)) continue;
		if (textOf(entry) === text) continue;
		const labels =
			"'If Field Is Unknown', 'If Choice Is Missing', the formats, 'Max Parallel Requests' and 'Timeout (Seconds)'";
		throw new InputError(
			`The conditions or settings of items ${first.itemIndex} and ${entry.itemIndex} differ, but both are for card '${name}'`,
			`Nothing was sent. ${first.common?.labels ?? labels} must be the same for all items of a card.`,
		);
	}
}

/** Converts the items of a card. */
async function convertCard(run: Run, work: CardWork, results: WriteResults): Promise<void> {
	const { entries, growth } = work;
	const index = growth?.index ?? work.index;
	work.key = keyOf(run, entries, index);
	work.wishes = [];
	const target = { index, zone: run.zone, key: work.key };
	for (const entry of work.growsOnly ? [] : entries) {
		await run.breathe();
		try {
			work.wishes.push(convert(entry, target));
		} catch (error) {
			results.refuse(entry, inputErrorOf(error), index);
		}
	}
	results.requireWhole(work);
}

function keyOf({ zone }: Run, [first]: readonly Entry[], index: FieldIndex): MatchKey | undefined {
	if (first?.find.by !== 'key') return undefined;
	return new MatchKey(first.find.matching, index, zone, first.find.ignoresCase);
}

/** Reads the records of a card, if the operation looks before it writes. */
async function readRecords(run: Run, work: CardWork): Promise<void> {
	const { card, entries, index } = work;
	const by = entries[0]?.find.by;
	const isKnown = by === 'key' || by === 'filter';
	// Without the field, the node's own key of its name would be written to it when the item comes back.
	const readsFirst = entries.some((entry) => entry.readsFirst) || index.fields.some(isNodeKey);
	if (!isKnown && !(by === 'id' && entries[0]?.columns && readsFirst)) return;
	const ids = new Set(entries.map(({ find }) => (find.by === 'id' ? find.id : '')));
	const records: DataRecord[] = [];
	const take = (record: DataRecord): boolean => {
		if (isKnown || ids.delete(record.id)) records.push(record);
		return !isKnown && ids.size === 0;
	};
	await run.streamRecords(card, Infinity, take, requestOf(work));
	work.records = records;
}

/** Plans the writes of a card. */
async function planCard(run: Run, work: CardWork, results: WriteResults): Promise<void> {
	const { card, isDry, wishes, records, growth, marks } = work;
	const index = growth?.index ?? work.index;
	const breathe = async () => await run.breathe();
	work.wishes = [];
	work.plan = await planWrites(wishes, records, rulesOf(run, work, index), breathe);
	for (const entry of work.entries) {
		const error = work.plan.refused.get(entry.itemIndex);
		if (error) results.refuse(entry, error, index);
	}
	results.requireWhole(work);
	if (work.plan.deletions.length > 0) requireFirstDeletion(run, card);
	work.output = new StepOutput(run, card, index, { isDry, marks });
	if (isDry && growth && !work.isSilent) hintAtGrowth(run, card, growth);
}

function rulesOf({ zone }: Run, { card, key, entries }: CardWork, index: FieldIndex): Rules {
	const isSameValue: Rules['isSame'] = (id, one, other) => {
		const field = index.byId(id);
		return field ? isSame(field, one, other, zone) : one === other;
	};
	if (!key) return { card: card.name, isSame: isSameValue };
	return {
		card: card.name,
		isSame: (id, one, other) => key.isSame(id, one, other),
		keyOf: (data) => key.of(data),
		shown: (data) => key.shown(data),
		...syncRules(entries[0], index, zone),
	};
}

function syncRules(
	entry: Entry | undefined,
	index: FieldIndex,
	zone: Run['zone'],
): { sync?: SyncRules } {
	const sync = entry?.find.by === 'key' ? entry.find.sync : undefined;
	if (!sync) return {};
	const { filters, matchType, deletes, maxDeletions } = sync;
	const meets = readFilter(filters, matchType, index, { zone, isExact: true });
	return { sync: { meets, deletes, maxDeletions, now: new Date().toISOString() } };
}

/** Adds fields and choices to a card, then converts and plans once more, with their IDs. */
async function growCard(run: Run, work: CardWork, results: WriteResults): Promise<void> {
	const { create, growth, isDry } = work;
	if (isDry || (!create && !growth)) return;
	if (create) work.card = await create();
	if (growth) {
		const grown = await addGrowth(run, work.card, growth, requestOf(work));
		work.index = grown.index;
		results.additions.push(...grown.additions);
	}
	work.growth = undefined;
	await convertCard(run, work, results);
	if (!results.isStopped) await planCard(run, work, results);
}
