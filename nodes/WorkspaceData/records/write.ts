/** Writes records: fields → convert → records → plan → apply → output, for all items and cards of a run. */
import { AT_ONCE, type DataRecord } from '../transport/api';
import { inParallel } from '../values/inParallel';
import { InputError } from '../values/inputError';
import { cleanName, foldCase } from '../values/nameSpelling';
import { addGrowth, hintAtGrowth, readGrown, type Failures } from './addGrowth';
import { applyPlans } from './apply';
import { hasWork, type CardWork } from './cardWork';
import { convert, type Target } from './convert';
import type { Entry, ItemResult, LastResult, Wish } from './entry';
import type { FieldIndex } from './fieldIndex';
import { readFilter } from './filter';
import { planGrowth } from './growth';
import { hold } from './heldCards';
import { MatchKey } from './matchKey';
import { planWrites } from './plan';
import type { Rules } from './overlay';
import { isNodeKey } from './recordOutput';
import { combineRefusals, inputErrorOf } from './refusals';
import { addResults } from './results';
import type { Run } from './run';
import { StepOutput } from './stepOutput';
import { requireFirstDeletion, requireOneRun } from './sync';

/**
 * Writes to cards. Nothing is sent that changes anything before all items of all cards are found valid, unless the run
 * continues on errors. The entries receive the results.
 *
 * @param items the results of all items of the run: without *On Error*, one error ends it
 * @returns results after those of all items, each with the item that it is paired with
 */
export async function writeCards(
	run: Run,
	works: readonly CardWork[],
	items: readonly ItemResult[],
): Promise<LastResult[]> {
	const isStopped = () => !run.continues && items.some(({ error }) => error !== undefined);
	const each = async (width: number, stage: typeof prepare): Promise<void> =>
		await inParallel(width, works.filter(hasWork), async (work) => {
			if (isStopped()) return;
			await stage(run, work).catch((error: unknown) => refuseCard(run, work, error));
		});
	const letGo = await hold(run.api, namesToHold(works));
	try {
		await each(AT_ONCE, prepare);
		// One card after the other: the first failure ends it.
		await each(1, grow);
		if (isStopped()) return [];
		const left = works.filter(hasWork);
		// The steps have the records that they need.
		for (const work of left) work.records = undefined;
		await applyPlans(
			run,
			left.filter(({ isDry }) => !isDry),
			letGo,
		);
		const last: LastResult[][] = [];
		for (const work of left) last.push(await addResults(run, work));
		return last.flat();
	} finally {
		letGo();
	}
}

/** All items of a card fail, but for those that have an error of their own; one of these is enough to end a run. */
export function refuseCard(
	{ continues }: Run,
	{ entries }: Pick<CardWork, 'entries'>,
	error: unknown,
): void {
	const hasOwn = entries.some(({ result }) => result.error !== undefined);
	if (hasOwn && !continues) return;
	for (const { result } of entries) result.error ??= error;
}

/** The cards that others of this process must not read or grow meanwhile. */
const namesToHold = (works: readonly CardWork[]): string[] =>
	works
		.filter((work) => work.card.id !== '' && !work.isDry && hasWork(work))
		.filter(({ entries: [first] }) => first && (mayGrow(first) || first.find.by === 'key'))
		.map(({ card }) => card.id);

const mayGrow = ({ settings: { rules } }: Entry): boolean =>
	rules.addsFields === true || rules.addsChoices === true;

/** Reads a card as far as it is needed, and plans its writes. */
async function prepare(run: Run, work: CardWork): Promise<void> {
	const { card, entries, request } = work;
	await requireCommonSettings(run, work);
	if (entries.some(deletesOthers)) requireOneRun(run);
	if (card.id !== '') work.index = await run.fieldsOf(card, request);
	if (entries.some(mayGrow)) work.growth = await planGrowth(run, entries, work.index);
	await planCard(run, work, work.growth?.index ?? work.index);
}

/** @throws InputError if items of one card differ in what must be one */
async function requireCommonSettings(
	run: Run,
	{ entries: [first, ...others], card }: CardWork,
): Promise<void> {
	const text = JSON.stringify(first?.common);
	for (const { common, itemIndex } of others) {
		await run.breathe();
		if (!first || JSON.stringify(common) === text) continue;
		const differs = (key: string) =>
			JSON.stringify(common[key]) !== JSON.stringify(first.common[key]);
		const label = Object.keys(common).find(differs);
		throw new InputError(
			`'${label}' of items ${first.itemIndex} and ${itemIndex} differs, but both are for card '${card.name}'`,
			`Nothing was sent. '${label}' must be the same for all items of a card.`,
		);
	}
}

/** Plans the writes of a card. @param index its fields, with those that are planned */
async function planCard(run: Run, work: CardWork, index: FieldIndex): Promise<void> {
	const { card, entries, isDry, growth } = work;
	const [first] = entries as [Entry];
	const target = { index, zone: run.zone, key: new MatchKey(first.find, index, run.zone) };
	const wishes = work.growsOnly ? [] : await convertEntries(run, entries, target);
	if (isEnded(run, entries)) return;
	work.records ??= await readRecords(run, work);
	work.plan = await planWrites(wishes, work.records, rulesOf(run, work, target));
	for (const { entry, refusal } of work.plan.items) entry.result.error ??= refusal;
	if (isEnded(run, entries)) return;
	if (work.plan.deletions.length > 0) requireFirstDeletion(run, card);
	work.output = new StepOutput({ ...first, run, card, index });
	if (isDry && growth && !work.isSilent && hasWork(work)) hintAtGrowth(run, card, growth);
}

/** Converts the items of a card that were not refused before. Refused ones get their errors. */
async function convertEntries(run: Run, entries: readonly Entry[], target: Target) {
	const wishes: Wish[] = [];
	for (const entry of entries) {
		await run.breathe();
		if (entry.result.error !== undefined) continue;
		try {
			wishes.push(convert(entry, target));
		} catch (error) {
			entry.result.error = inputErrorOf(error);
		}
	}
	return wishes;
}

/** True if refused items end the run. @throws InputError in a Sync: its items stand or fall together */
function isEnded({ continues, done }: Run, entries: readonly Entry[]): boolean {
	const refused = entries.filter(({ result }) => result.error !== undefined);
	const [first] = refused;
	if (!first) return false;
	if (!isSync(first)) return !continues;
	const isUntouched = done.additions.length === 0;
	const after = isUntouched ? 'Nothing was sent for its card.' : 'No record of its card was sent.';
	const error = combineRefusals(refused, after);
	for (const { result } of refused) result.error = error;
	throw error;
}

export const isSync = ({ find }: Pick<Entry, 'find'>): boolean =>
	find.by === 'key' && find.sync !== undefined;

const deletesOthers = ({ find }: Entry): boolean =>
	find.by === 'key' && find.sync?.deletes === true;

/** Reads the records of a card, if the operation looks before it writes. */
async function readRecords(
	run: Run,
	{ card, entries, index, request }: CardWork,
): Promise<DataRecord[] | undefined> {
	const [first] = entries as [Entry];
	const isKnown = first.find.by === 'key' || first.find.by === 'filter';
	// Without the field, the node's own key of its name would be written to it when the item comes back.
	const readsFirst = entries.some((entry) => entry.readsFirst) || index.fields.some(isNodeKey);
	if (!isKnown && !(first.find.by === 'id' && first.columns && readsFirst)) return undefined;
	const ids = new Set(entries.map(({ find }) => (find.by === 'id' ? find.id : '')));
	const records: DataRecord[] = [];
	const take = (record: DataRecord): boolean => {
		if (isKnown || ids.delete(record.id)) records.push(record);
		return !isKnown && ids.size === 0;
	};
	await run.streamRecords(card, Infinity, take, request);
	return records;
}

function rulesOf(
	run: Run,
	{ card, entries: [first] }: CardWork,
	{ index, zone, key }: Target,
): Rules {
	const rules = { card: card.name, key, breathe: async () => await run.breathe() };
	const sync = first?.find.by === 'key' ? first.find.sync : undefined;
	if (!sync) return rules;
	const test = readFilter(sync.filters, sync.matchType, index, { zone, isExact: true });
	const meets = test ?? (() => true);
	return { ...rules, sync: { ...sync, meets, now: new Date().toISOString() } };
}

/** Creates a card, or adds fields and choices to it; then plans once more, with their IDs. */
async function grow(run: Run, work: CardWork): Promise<void> {
	const { create, growth, isDry, request, entries } = work;
	if (isDry || (!create && !growth)) return;
	if (create) work.card = await create();
	const valid = entries.filter(({ result }) => result.error === undefined);
	const goesOn = run.continues && !valid.some(isSync);
	const failures = growth && (await addGrowth(run, work.card, growth, request, goesOn));
	if (growth) work.index = await readGrown(run, work.card, growth, request);
	work.growth = undefined;
	await planCard(run, work, work.index);
	if (failures && failures.size > 0) for (const entry of valid) failWith(failures, entry, work);
}

/** An item that needs what couldn't be added gets the service's error. */
function failWith(
	failures: Failures,
	{ columns, result }: Entry,
	{ index, growsOnly }: CardWork,
): void {
	if (result.error === undefined && !growsOnly) return;
	const { entries } = columns?.(index) ?? { entries: [] };
	for (const [name] of entries) {
		const key = index.candidates(name)[0]?.id ?? foldCase(cleanName(name));
		if (failures.has(key)) result.error = failures.get(key);
	}
}
