import { until } from '../../host/deadline.ts';
import type { N8nClient } from '../../host/n8nClient.ts';

/** The secret that n8n saved for the trigger "On change" of a workflow; n8n writes it shortly after publishing. */
export async function savedSecret(client: N8nClient, workflowId: string): Promise<string> {
	return await until('the secret to be saved', async () => {
		const { staticData } = (await client.workflow(workflowId)) as unknown as {
			staticData: Record<string, { subscriptions?: { current?: { secret: string } } }> | null;
		};
		return staticData?.['node:On change']?.subscriptions?.current?.secret;
	});
}
