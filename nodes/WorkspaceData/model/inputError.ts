/**
 * The user entered something that cannot be used: nothing has been sent. The message names the parameter, the
 * description says how to continue. The node turns it into n8n's own error at its edge.
 */
export class InputError extends Error {
	readonly description: string | undefined;

	constructor(message: string, description?: string) {
		super(message);
		this.name = 'InputError';
		this.description = description;
	}
}
