/** What is wrong with the values of items, in one message: a line for each field and cause. */
import {
	combineRefusals,
	RefusedValues,
	type Refusal,
} from '../../../nodes/WorkspaceData/records/refusals';
import { InputError } from '../../../nodes/WorkspaceData/values/inputError';

const number = (value: string, advice = "Select 'Number Format'"): Refusal => ({
	field: 'Preis',
	value,
	error: new InputError(`Field 'Preis' can't hold "${value}"`, advice),
});
const readings = (value: string, ...each: string[]): Refusal =>
	number(value, `'${value}' is ${each.join(' or ')}: select 'Number Format'.`);
const unknown = (name: string): Refusal => ({
	error: new InputError(`Card 'Shop' has no field '${name}'`, 'Add the field first.'),
});

/** The refusals of each item, the message, and the lines of the description. */
test.each<[string, Array<[Refusal, ...Refusal[]]>, string, string[]]>([
	[
		'one item, one value: as the value says it',
		[[number('a')]],
		"Item 0: Field 'Preis' can't hold \"a\"",
		["Select 'Number Format'. Nothing was sent."],
	],
	[
		'one item, several values',
		[[number('a'), unknown('X')]],
		"Item 0: 2 values of this item can't be sent",
		[
			"Field 'Preis' can't hold \"a\". Select 'Number Format'.",
			"Card 'Shop' has no field 'X'. Add the field first. Nothing was sent.",
		],
	],
	[
		'a line for each cause, with an example; also what no value is to blame for',
		[[unknown('X'), number('12,50')], [unknown('X'), number('3,99')], [number('7,00')]],
		"Values of 3 items can't be sent",
		[
			"2 items: Card 'Shop' has no field 'X'. Add the field first.",
			`'Preis': 3 items, such as "12,50". Select 'Number Format'.`,
			'Nothing was sent.',
		],
	],
	[
		'advice that names the value is one cause, other advice is another',
		[[readings('1,234', '1234', '1.234')], [readings('5,678', '5678', '5.678')], [number('x')]],
		"Values of 3 items can't be sent",
		[
			"'Preis': 2 items, such as \"1,234\". '1,234' is 1234 or 1.234: select 'Number Format'.",
			"Item 2: Field 'Preis' can't hold \"x\". Select 'Number Format'.",
			'Nothing was sent.',
		],
	],
	[
		'ten lines, and how many more',
		Array.from({ length: 14 }, (_, item) => [unknown(`X${item}`)]),
		"Values of 14 items can't be sent",
		[...Array<string>(10).fill(expect.anything() as string), 'And 4 more.', 'Nothing was sent.'],
	],
])('%s', (_, items, message, lines) => {
	const refused = items.map((refusals, itemIndex) => ({
		itemIndex,
		result: { error: new RefusedValues(refusals) },
	}));
	const error = combineRefusals(refused, 'Nothing was sent.');
	expect(error.message).toBe(message);
	expect(error.description?.split('\n')).toEqual(lines);
});
