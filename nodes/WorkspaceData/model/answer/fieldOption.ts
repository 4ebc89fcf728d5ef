/** The shape of a choice; apart from fields, whose kinds need it. */

/** One choice of a select field. */
export interface FieldOption {
	/** The text that the user sees. */
	label: string;
	/** All texts that people know it by: name, label, title. */
	labels: string[];
	/** What records may hold for it, as JSON has it: value, ID, key. */
	identifiers: Array<string | number>;
	/** The value that records hold for this choice, where the listing tells; else any of its spellings. */
	sent?: string | number;
}
