import type {
  AuditEventResponse,
  AuditEventsResponse,
} from '@despatch/contracts/administration/audit-event'
import { auditActions } from '@despatch/domain/access/audit-actions'
import { type Command, Option } from 'commander'
import { findConsumer } from '../find-consumer.ts'
import type { Run } from '../program.ts'
import { renderTable } from '../table.ts'
import { addPageOptions, oneOf, type PageOptions, parseDay, queryOf } from './option.ts'

type ListOptions = PageOptions & {
  by?: string
  actor?: string
  action?: string
  about?: string
  from?: string
  to?: string
}

export function addAuditCommands(program: Command, run: Run): void {
  const list = program
    .command('audit')
    .description('who changed what')
    .command('list [userName]')
    .description('lists audited changes, newest first; with a user name, those to that consumer')
    .option('--by <userName>', 'only by this user')
    .addOption(
      new Option(
        '--actor <actor>',
        'only by this provider or part of the system, such as provider:north or command-line',
      ).conflicts('by'),
    )
    .addOption(oneOf('--action <action>', 'only this action', auditActions))
    .option('--about <id>', 'only about this print job, print run, callback or other thing')
    .option('--from <day>', 'first day of the range, in London: YYYY-MM-DD', parseDay)
    .option('--to <day>', 'last day of the range, inclusive', parseDay)
  addPageOptions(list).action(
    (userName: string | undefined, { by, actor, ...options }: ListOptions) =>
      run(async (session) => {
        const idOf = async (name: string | undefined) =>
          name === undefined ? undefined : (await findConsumer(session, name)).consumerId
        const byId = await idOf(by)
        const query = queryOf({
          ...options,
          actor: byId === undefined ? actor : `consumer:${byId}`,
          consumerId: await idOf(userName),
        })
        const page = await session.send<AuditEventsResponse>('GET', `/audit-events?${query}`)
        const more = page.nextCursor ? `\n\nNext page: --cursor ${page.nextCursor}` : ''
        return { document: page, text: `${renderAuditEvents(page.auditEvents)}${more}` }
      }),
  )
}

function renderAuditEvents(events: readonly AuditEventResponse[]): string {
  const header = ['at', 'by', 'action', 'consumer', 'detail']
  const rows = events.map((event) => [
    event.at,
    event.actorUserName ?? event.actor,
    event.action,
    event.userName ?? '-',
    Object.keys(event.detail).length > 0 ? JSON.stringify(event.detail) : '-',
  ])
  return renderTable(header, rows)
}
