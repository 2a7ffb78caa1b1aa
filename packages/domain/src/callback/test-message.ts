import { renderMessage } from './message.ts'

type TestMessage = {
  messageId: string
  at: Date
  correlationId: string
}

export const testMessageType = 'despatch.print.messages.v1.TestMessage'

/**
 * Returns the body of a test callback, which a consumer requests to check that callbacks reach it. It refers to no
 * print job.
 */
export function renderTestMessage(message: TestMessage): Uint8Array {
  return renderMessage({
    ...message,
    type: testMessageType,
    data: { sequence: 1, comment: 'Test message: no print job has changed' },
  })
}
