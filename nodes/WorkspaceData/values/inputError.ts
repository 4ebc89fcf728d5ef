/**
 * The user's input can't be used, and nothing has been sent. The message names the parameter, the
 * description says how to continue. The node converts it into n8n's own error.
 */
export class InputError extends Error {
	readonly description: string | undefined;

	constructor(message: string, description?: string) {
		super(message);
		this.name = 'InputError';
		this.description = description;
	}
}
