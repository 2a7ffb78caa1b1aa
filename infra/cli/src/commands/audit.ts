import { auditActions } from '@despatch/domain/access/audit-actions'
import { findConsumerId } from '../find-consumer.ts'
import { addingTo } from '../operation-command.ts'
import type { Parts } from '../program.ts'
import type { Session } from '../session.ts'
import { renderRows } from '../table.ts'
import { oneOf, option, pageOptions, parseDay } from './option.ts'

export function addCommands(parts: Parts): void {
  const audit = parts.program.command('audit').description('who changed what')
  const add = addingTo(audit, parts)

  add({
    usage: 'list [userName]',
    operation: 'listAuditEvents',
    route: 'GET /audit-events',
    does: 'lists audited changes, newest first; with a user name, those to that consumer',
    options: [
      option('--by <userName>', 'only by this user'),
      option(
        '--actor <actor>',
        'only by this provider or part of the system, such as provider:north or command-line',
      ).conflicts('by'),
      oneOf('--action <action>', 'only this action', auditActions),
      option('--about <id>', 'only about this print job, print run, callback or other thing'),
      option('--from <day>', 'first day of the range, in London: YYYY-MM-DD', parseDay),
      option('--to <day>', 'last day of the range, inclusive', parseDay),
      ...pageOptions(),
    ],
    members: { by: { member: 'actor', find: findActor } },
    text: ({ auditEvents }) =>
      renderRows(auditEvents, {
        at: 'at',
        by: ({ actorUserName, actor }) => actorUserName ?? actor,
        action: 'action',
        consumer: 'userName',
        detail: ({ detail }) =>
          Object.keys(detail).length > 0 ? JSON.stringify(detail) : undefined,
      }),
  })
}

async function findActor(session: Session, userName: string): Promise<string> {
  return `consumer:${await findConsumerId(session, userName)}`
}
