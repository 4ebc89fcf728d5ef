import { Eta } from 'eta';
import type { DeliveryLogEntry } from '../storage/deliveries.ts';
import { type Account, type ApiKey, type Role, roles } from '../storage/identities.ts';
import type { Mail } from '../storage/mails.ts';
import type { Subscription } from '../storage/subscriptions.ts';

/** Something to be shown once, after a form was sent. */
export interface Notice {
	text: string;
	/** Names and values that are shown nowhere else. */
	secrets: Array<[name: string, value: string]>;
}

/** What the page shows. */
export interface PageData {
	workspace: { id: string; name: string };
	notice: Notice | undefined;
	/** Goes into every form; proves that the form is ours. */
	formToken: string;
	keys: ApiKey[];
	accounts: Account[];
	subscriptions: Array<Omit<Subscription, 'secret'> & { pending: number; failures: number }>;
	deliveries: DeliveryLogEntry[];
	mails: Mail[];
	mailServer: boolean;
}

const eta = new Eta({ autoEscape: true, useWith: false });

const frame = (title: string, body: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/settings/style.css">
</head>
<body>
${body}
</body>
</html>
`;

const signInTemplate = frame(
	'Sign in – Workspace settings',
	`<main>
<h1>Workspace settings</h1>
<% if (it.failed) { %><p role="alert" class="notice">That is not the password.</p><% } %>
<form method="post" action="/settings/sign-in">
<label>Password <input type="password" name="password" autocomplete="current-password" required autofocus></label>
<button>Sign in</button>
</form>
</main>`,
);

const hidden = '<input type="hidden" name="form_token" value="<%= it.formToken %>">';

const pageTemplate = frame(
	'<%= it.workspace.name %> – Workspace settings',
	`<header>
<h1><%= it.workspace.name %></h1>
<p>Workspace <code><%= it.workspace.id %></code></p>
<form method="post" action="/settings/sign-out">${hidden}<button>Sign out</button></form>
</header>
<main>
<% if (it.notice) { %>
<section role="status" class="notice">
<p><%= it.notice.text %></p>
<% if (it.notice.secrets.length > 0) { %>
<p>Copy it now. It is not shown again.</p>
<dl><% for (const [name, value] of it.notice.secrets) { %><dt><%= name %></dt><dd><code><%= value %></code></dd><% } %></dl>
<% } %>
</section>
<% } %>

<section aria-labelledby="keys">
<h2 id="keys">API keys</h2>
<table>
<thead><tr><th>Name</th><th>Key</th><th>Created</th><th>State</th><th></th></tr></thead>
<tbody><% for (const key of it.keys) { %>
<tr><td><%= key.name %></td><td><code><%= key.hint %></code></td><td><%= key.createdAt %></td>
<td><%= key.revokedAt ? 'revoked' : 'active' %></td>
<td><% if (!key.revokedAt) { %><form method="post" action="/settings/keys/<%= key.id %>/revoke">${hidden}<button aria-label="Revoke key <%= key.name %>">Revoke</button></form><% } %></td></tr>
<% } %></tbody>
</table>
<form method="post" action="/settings/keys">${hidden}
<label>Name <input name="name" required maxlength="200"></label>
<button>Create API key</button>
</form>
</section>

<section aria-labelledby="accounts">
<h2 id="accounts">Service accounts</h2>
<table>
<thead><tr><th>Name</th><th>Client id</th><th>Role</th><th>Created</th><th>State</th><th></th></tr></thead>
<tbody><% for (const account of it.accounts) { %>
<tr><td><%= account.name %></td><td><code><%= account.clientId %></code></td><td><%= account.role %></td>
<td><%= account.createdAt %></td><td><%= account.revokedAt ? 'revoked' : 'active' %></td>
<td><% if (!account.revokedAt) { %><form method="post" action="/settings/accounts/<%= encodeURIComponent(account.clientId) %>/revoke">${hidden}<button aria-label="Revoke account <%= account.name %>">Revoke</button></form><% } %></td></tr>
<% } %></tbody>
</table>
<form method="post" action="/settings/accounts">${hidden}
<label>Name <input name="name" required maxlength="200"></label>
<label>Role <select name="role"><% for (const role of it.roles) { %><option<%= role === 'editor' ? ' selected' : '' %>><%= role %></option><% } %></select></label>
<button>Create service account</button>
</form>
</section>

<section aria-labelledby="subscriptions">
<h2 id="subscriptions">Webhook subscriptions</h2>
<table>
<thead><tr><th>Subscription</th><th>Target</th><th>Events</th><th>Card</th><th>State</th><th>Failed attempts</th><th>Waiting</th><th></th></tr></thead>
<tbody><% for (const one of it.subscriptions) { %>
<tr><td><code><%= one.id %></code></td><td><%= one.targetUrl %></td><td><%= one.events.join(', ') %></td>
<td><%= one.cardId ?? 'all cards' %></td><td><%= one.state %><% if (one.pausedAt) { %> since <%= one.pausedAt %><% } %></td>
<td><%= one.failures %></td><td><%= one.pending %></td>
<td><% if (one.state === 'paused') { %><form method="post" action="/settings/subscriptions/<%= one.id %>/resume">${hidden}<button aria-label="Resume <%= one.id %>">Resume</button></form><% } %></td></tr>
<% } %></tbody>
</table>
</section>

<section aria-labelledby="deliveries">
<h2 id="deliveries">Deliveries</h2>
<p>The latest <%= it.deliveries.length %>, newest first.</p>
<table>
<thead><tr><th>Event</th><th>Created</th><th>Subscription</th><th>State</th><th>Attempts</th></tr></thead>
<tbody><% for (const delivery of it.deliveries) { %>
<tr><td><%= delivery.event %></td><td><%= delivery.createdAt %></td><td><code><%= delivery.subscriptionId %></code></td>
<td><%= delivery.state %></td>
<td><ol><% for (const attempt of delivery.attempts) { %><li><%= attempt.at %>: <%= attempt.error ?? attempt.status %> (<%= attempt.durationMs %> ms)</li><% } %></ol></td></tr>
<% } %></tbody>
</table>
</section>

<section aria-labelledby="outbox">
<h2 id="outbox">E-mail outbox</h2>
<p><%= it.mailServer ? 'E-mails are sent through the mail server.' : 'There is no mail server; e-mails stay here.' %></p>
<% for (const mail of it.mails) { %>
<article><h3><%= mail.subject %></h3>
<p>To <%= mail.recipient %>, <%= mail.createdAt %>, <%= mail.sentAt ? 'sent ' + mail.sentAt : 'not sent' %><% if (mail.error) { %> (<%= mail.error %>)<% } %></p>
<pre><%= mail.text %></pre></article>
<% } %>
</section>
</main>`,
);

/** The stylesheet of the page. */
export const style = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 80rem; padding: 1rem; }
section { margin-block: 2rem; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid #8884; padding: .3rem .6rem; text-align: left; vertical-align: top; }
td form { margin: 0; }
form { margin-block: .8rem; }
label { margin-right: 1rem; }
ol { margin: 0; padding-left: 1.2rem; }
pre { white-space: pre-wrap; }
.notice { border: 2px solid; border-radius: .3rem; padding: .3rem 1rem; }
code { overflow-wrap: anywhere; }
`;

/** The form that asks for the password. */
export function renderSignIn(failed: boolean): string {
	return eta.renderString(signInTemplate, { failed });
}

/** The whole page. Every value is escaped. */
export function renderPage(data: PageData): string {
	return eta.renderString(pageTemplate, { ...data, roles: roles satisfies readonly Role[] });
}
