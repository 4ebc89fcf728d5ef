/** A webhook that starts an execution with the body, and does nothing else. */
class BenchTrigger {
	description = {
		displayName: 'Bench Trigger',
		name: 'benchTrigger',
		group: ['trigger'],
		version: 1,
		description: 'A webhook that does nothing else',
		defaults: { name: 'Bench Trigger' },
		inputs: [],
		outputs: ['main'],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				responseData: '',
				path: 'webhook',
			},
		],
		properties: [],
	};

	async webhook() {
		return {
			workflowData: [this.helpers.returnJsonArray(this.getBodyData())],
			webhookResponse: '',
		};
	}
}

module.exports = { BenchTrigger };
