import type { RivalTask } from './rivals.ts'

type Signing = {
  at: Date
  /** Returns the signature of this text in base64. */
  sign: (text: string) => string
}

/** Renders the headers of a rival's call, names and values alternating: the same as ours, of the same lengths. */
export function renderHeaders(
  { id, correlationId, authenticationHeader, body }: RivalTask,
  { at, sign }: Signing,
): string[] {
  const timestamp = String(Math.floor(at.getTime() / 1_000))
  return [
    ...['content-type', 'application/json'],
    ...['user-agent', 'despatch-callbacks'],
    ...['accept-encoding', 'identity'],
    ...['webhook-id', id],
    ...['webhook-timestamp', timestamp],
    ...['x-correlation-id', correlationId],
    ...['webhook-signature', `v1,${sign(`${id}.${timestamp}.${body}`)}`],
    ...['authorization', authenticationHeader],
  ]
}
