/**
 * What a person does in n8n's editor, with mouse and keyboard in a real browser. One n8n and one browser serve
 * all suites of a major: they take longer to start than most suites to run.
 */
import { major } from '../support/settings.ts';
import { testCredentials } from './credentials.ts';
import { testExamples } from './examples.ts';
import { testFilters } from './filters.ts';
import { testHttpRequest } from './httpRequest.ts';
import { testJobs } from './jobs.ts';
import { testMapper } from './mapper.ts';
import { testNodesPanel } from './nodesPanel.ts';
import { testReadme } from './readme.ts';
import { useStage } from './stage.ts';

describe(`editor of n8n ${major}`, () => {
	const stage = useStage();
	describe('README.md', () => testReadme(stage));
	// n8n 1 shows the panels with the same components, so one journey is enough there.
	if (major === 1) return;
	describe('credentials', () => testCredentials(stage));
	describe('HTTP Request', () => testHttpRequest(stage));
	describe('values', () => testMapper(stage));
	describe('nodes panel', () => testNodesPanel(stage));
	describe('filters', () => testFilters(stage));
	describe('jobs', () => testJobs(stage));
	describe('examples', () => testExamples(stage));
});
