/** The e-mail that tells an owner that a subscription was paused. */
import type { NewMail } from '../storage/mails.ts';
import type { Subscription } from '../storage/subscriptions.ts';

/** @param reason ends the sentence "The webhook subscription … was paused", with its full stop */
export const pauseMail = (
	{ id, workspaceId, owner }: Pick<Subscription, 'id' | 'workspaceId' | 'owner'>,
	reason: string,
): NewMail => ({
	workspaceId,
	subscriptionId: id,
	recipient: owner,
	subject: 'A webhook subscription was paused',
	text: [
		`The webhook subscription ${id} of workspace ${workspaceId} was paused`,
		reason,
		'',
		'Once the target works again, resume the subscription on the settings page.',
	].join('\n'),
});
