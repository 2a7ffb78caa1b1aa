import type {
  AuditEventResponse,
  AuditEventsResponse,
} from '@despatch/contracts/administration/audit-event'
import type { Command } from 'commander'
import { findConsumer } from '../find-consumer.ts'
import type { Run } from '../program.ts'
import { renderTable } from '../table.ts'
import { parsePageSize } from './option.ts'

export function addAuditCommands(program: Command, run: Run): void {
  program
    .command('audit')
    .description('who changed what')
    .command('list [userName]')
    .description('lists audited changes, newest first; with a user name, those to that consumer')
    .option('--limit <number>', 'number of changes to list, at most 100', parsePageSize, '50')
    .option('--cursor <cursor>', 'cursor of the next page, from the previous response')
    .action((userName: string | undefined, options: { limit: string; cursor?: string }) =>
      run(async (session) => {
        const consumer = userName === undefined ? undefined : await findConsumer(session, userName)
        const query = new URLSearchParams({
          ...options,
          ...(consumer && { consumerId: consumer.consumerId }),
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
