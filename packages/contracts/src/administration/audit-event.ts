import { auditActions } from '@despatch/domain/access/audit-actions'
import { z } from 'zod'
import { nextCursor, pageQuery } from '../page.ts'
import { ifKnown, storedTime } from '../stored.ts'
import { customIssue, text } from '../text.ts'
import { day, orderFault } from './day.ts'

export const auditEventSchema = z.object({
  id: z.string(),
  at: storedTime,
  actor: z.string().describe('Who made the change: consumer:<id>, or a part of the system'),
  actorUserName: ifKnown(z.string()),
  action: z.string().describe('A noun and what happened to it'),
  consumerId: ifKnown(z.string()).describe('Consumer that was changed'),
  userName: ifKnown(z.string()),
  detail: z.record(z.string(), z.unknown()),
})

const actorCharactersMax = 100
const aboutCharactersMax = 255

export const auditEventsQuerySchema = z
  .object({
    actor: text({ max: actorCharactersMax, pattern: /^[a-z]+(-[a-z]+)*(:[!-~]+)?$/ })
      .exactOptional()
      .describe(
        'Only events of this actor, as the events have it: consumer:<id>, provider:<id> or a part of the system',
      ),
    action: z.enum(auditActions).exactOptional().describe('Only this action'),
    about: text({ min: 1, max: aboutCharactersMax })
      .exactOptional()
      .describe(
        'Only events whose detail has this id: of a print job (its key, or the id from the consumer), document, print ' +
          'run (batch number), posting, reprint, recall, callback, bulk action, provider, site, contract, usage plan, ' +
          'record set, secret, signing key, queue or account of the OpenID provider; or this origin of callbacks',
      ),
    consumerId: z.uuid().exactOptional().describe('Only changes to this consumer'),
    from: day.exactOptional().describe('First day, in London'),
    to: day.exactOptional().describe('Last day, in London'),
    ...pageQuery,
    cursor: text({ max: 19, pattern: /^\d{1,18}$/ })
      .exactOptional()
      .describe('nextCursor of the previous page'),
  })
  .superRefine(({ from, to }, context) => {
    const message = from !== undefined && to !== undefined ? orderFault(from, to) : undefined
    if (message === undefined) return
    context.addIssue({ ...customIssue({ code: 'Invalid', message }, to), path: ['to'] })
  })

export const auditEventsSchema = z.object({
  auditEvents: z.array(auditEventSchema).describe('Newest first'),
  nextCursor,
})
export type AuditEventsResponse = z.output<typeof auditEventsSchema>

export type ListedAuditEvent = z.input<typeof auditEventSchema>
