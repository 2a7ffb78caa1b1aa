import { z } from 'zod'
import { nextCursor, pageQuery } from '../page.ts'
import { text } from '../text.ts'

export const auditEventSchema = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  actor: z.string().describe('Who made the change: consumer:<id>, or a part of the system'),
  actorUserName: z.string().optional(),
  action: z.string(),
  consumerId: z.string().optional().describe('Consumer that was changed'),
  userName: z.string().optional(),
  detail: z.record(z.string(), z.unknown()),
})
export type AuditEventResponse = z.output<typeof auditEventSchema>

export const auditEventsQuerySchema = z.object({
  consumerId: z.uuid().exactOptional().describe('Only changes to this consumer'),
  ...pageQuery,
  cursor: text({ max: 19, pattern: /^\d{1,18}$/ })
    .exactOptional()
    .describe('nextCursor of the previous page'),
})

export const auditEventsSchema = z.object({
  auditEvents: z.array(auditEventSchema).describe('Newest first'),
  nextCursor,
})
export type AuditEventsResponse = z.output<typeof auditEventsSchema>

export type ListedAuditEvent = {
  id: string
  at: Date
  actor: string
  actorUserName: string | null
  action: string
  consumerId: string | null
  userName: string | null
  detail: Record<string, unknown>
}

export function renderAuditEvent(event: ListedAuditEvent): AuditEventResponse {
  const { id, at, actor, actorUserName, action, consumerId, userName, detail } = event
  return {
    id,
    at: at.toISOString(),
    actor,
    ...(actorUserName !== null && { actorUserName }),
    action,
    ...(consumerId !== null && { consumerId }),
    ...(userName !== null && { userName }),
    detail,
  }
}
