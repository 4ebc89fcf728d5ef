const matching = (text: string | RegExp): unknown =>
	typeof text === 'string' ? text : expect.stringMatching(text);

/** An error about what somebody has entered, for `toThrow`. A string is the whole text. */
export const refusal = (message: string | RegExp, description: string | RegExp): Error =>
	expect.objectContaining({
		name: 'InputError',
		message: matching(message),
		description: matching(description),
	}) as Error;
