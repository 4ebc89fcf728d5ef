const { TestEnvironment } = require('jest-environment-node');

/** Tells the test file about a failure while the browser still shows it. */
module.exports = class extends TestEnvironment {
	/** @param {import('jest-circus').Circus.Event} event */
	async handleTestEvent(event) {
		if (event.name === 'test_fn_failure') await this.global.onTestFailure?.(event.test.name);
	}
};
