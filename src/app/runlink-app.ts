import type { Probot } from 'probot';
import type { AppContext } from './context.ts';
import { about, settling } from './on/event.ts';
import { onButton } from './on/button.ts';
import { onChecks } from './on/checks.ts';
import { onInstallation, onNewPermissions } from './on/installation.ts';
import { onPullRequest } from './on/pull-request.ts';
import { onPush } from './on/push.ts';
import { onText } from './on/text.ts';
import { onTransfer } from './on/transfer.ts';

/**
 * What the App reacts to. A Probot application as any other: whatever delivers an event to it, the
 * durable inbox or Probot itself, what became of it is stored by the delivery's id.
 */
export function runlinkApp(context: AppContext): (app: Probot) => void {
  const on = about(context);
  return (app) => {
    app.on(['issue_comment.created', 'issue_comment.edited'], on(onText));
    app.on(
      ['pull_request_review_comment.created', 'pull_request_review_comment.edited'],
      on(onText),
    );
    app.on(['pull_request_review.submitted', 'pull_request_review.edited'], on(onText));
    app.on(['issues.edited', 'pull_request.edited'], on(onText));
    app.on(['issues.opened', 'issues.labeled', 'issues.assigned'], on(onText));
    app.on('issues.transferred', on(onTransfer));
    app.on(['pull_request.opened', 'pull_request.reopened'], on(onPullRequest));
    app.on(['pull_request.ready_for_review', 'pull_request.synchronize'], on(onPullRequest));
    app.on(['pull_request.labeled', 'pull_request.assigned'], on(onPullRequest));
    app.on('pull_request.closed', on(onPullRequest));
    app.on('check_suite.completed', on(onChecks));
    app.on(['check_run.requested_action', 'check_run.rerequested'], on(onButton));
    app.on('check_suite.rerequested', on(onButton));
    app.on('push', on(onPush));
    app.on(['installation.deleted', 'installation.suspend'], settling(context, onInstallation));
    app.on('installation.unsuspend', settling(context, onInstallation));
    app.on('installation.new_permissions_accepted', settling(context, onNewPermissions));
  };
}
