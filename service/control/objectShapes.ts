/** The objects of the API in the shapes that the variants ask for. */
import type { Operation } from './operations.ts';
import { shownField, shownTime } from './oddities.ts';
import type { HookContext } from './state.ts';

/** The parameters of all paths; a path has some of them. */
export interface Params {
	wid: string;
	cid: string;
	fid: string;
	rid: string;
	webhook_id: string;
}

/** An object of the API. */
export type Shown = Record<string, unknown>;

/** Gives the shapes of objects, as they are at the time of each call. */
export function createObjectShapes({ state, store }: Pick<HookContext, 'state' | 'store'>) {
	const decorate = (value: Shown): Shown =>
		state.variants.extraProperties
			? { ...value, _links: { self: null }, x_revision: 7, x_labels: ['extra'] }
			: value;

	/** Data of a record with null for each of its card's fields that has no value. */
	const withNulls = (cardId: string, values: Shown): Shown => {
		if (state.variants.clearedFields === 'absent') return values;
		const fields = store.fields.of(cardId).list;
		return Object.fromEntries(fields.map(({ id }) => [id, values[id] ?? null]));
	};

	const field = (cardId: string, shown: Shown): Shown => {
		const { fieldOptions, fieldIdKey } = state.variants;
		const { id, options, ...rest } = shown;
		const known = store.fields.of(cardId).byId.get(String(id))?.options ?? [];
		const names = options as string[];
		return {
			[fieldIdKey]: id,
			...rest,
			options: names.map((name) => {
				if (fieldOptions === 'strings') return name;
				if (fieldOptions === 'valueLabel') return { value: name, label: name };
				return { id: known.find((option) => option.name === name)?.id, name };
			}),
		};
	};

	/** One object of the API in its shape, not yet wrapped. */
	const one = (noun: Operation['noun'], { cid }: Params, shown: Shown): Shown => {
		if (noun === 'record') {
			const created_at = shownTime(shown.created_at, state.variants);
			return decorate({ ...shown, created_at, data: withNulls(cid, shown.data as Shown) });
		}
		if (noun === 'field') return decorate(shownField(field(cid, shown), state.variants));
		if (noun === 'webhook') {
			const { webhook_id: id, ...rest } = shown;
			return decorate({ [state.variants.webhookIdKey]: id, ...rest });
		}
		return decorate(shown);
	};

	const wrap = (name: string, value: Shown) => {
		const { objects } = state.variants;
		return objects === 'bare' ? value : { [objects === 'data' ? 'data' : name]: value };
	};

	/** A new subscription: its secret next to the object or in it. */
	const subscription = (params: Params, shown: Shown): Shown => {
		const { secret, ...rest } = shown;
		const { objects, webhookSecret } = state.variants;
		const made = one('webhook', params, rest);
		if (webhookSecret === 'top') return { ...wrap('webhook', made), secret };
		return { [objects === 'data' ? 'data' : 'webhook']: { ...made, secret } };
	};

	return { decorate, withNulls, one, wrap, subscription };
}
