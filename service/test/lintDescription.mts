/** Judges an OpenAPI document (JSON on stdin) by Spectral and Redocly; prints what they object to as JSON. */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import type { RulesetDefinition } from '@stoplight/spectral-core';
import spectralCore from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';

const chunks: Buffer[] = [];
for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
const source = Buffer.concat(chunks).toString();

const spectral = new spectralCore.Spectral();
spectral.setRuleset({ extends: [spectralRulesets.oas as RulesetDefinition] });
const bySpectral = await spectral.run(source);
const byRedocly = await lintFromString({
	source,
	config: await createConfig({ extends: ['recommended'] }),
});
process.stdout.write(
	JSON.stringify({
		spectral: bySpectral.map(({ code, path, message }) => [code, path.join('/'), message]),
		redocly: byRedocly.map(({ ruleId, message, location }) => [
			ruleId,
			location[0]?.pointer ?? '',
			message,
		]),
	}),
);
