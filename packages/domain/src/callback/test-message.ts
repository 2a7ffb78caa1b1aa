import { renderMessage } from './message.ts'

export type TestMessage = {
  messageId: string
  at: Date
  correlationId: string
}

const type = 'despatch.print.messages.v1.TestMessage'

/** The body of a callback that a consumer asks for to see whether callbacks reach it. It tells of no print job. */
export function renderTestMessage(message: TestMessage): Uint8Array {
  return renderMessage({
    ...message,
    type,
    data: { sequence: 1, comment: 'Test message: no print job has changed' },
  })
}
