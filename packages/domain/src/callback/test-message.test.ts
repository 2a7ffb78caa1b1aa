import { expect, test } from 'vitest'
import { renderTestMessage } from './test-message.ts'

test('is an ordinary envelope without a print job', () => {
  const bytes = renderTestMessage({
    messageId: '7f1d1c55-1a6f-4f0b-9a53-6a6f4a3f0a11',
    at: new Date('2026-03-02T23:59:59.987Z'),
    correlationId: '7f1d1c55-1a6f-4f0b-9a53-6a6f4a3f0a11',
  })

  expect(JSON.parse(new TextDecoder().decode(bytes))).toEqual({
    specVersion: '1',
    type: 'despatch.print.messages.v1.TestMessage',
    source: 'despatch:print:fulfilment',
    id: '7f1d1c55-1a6f-4f0b-9a53-6a6f4a3f0a11',
    time: '2026-03-02T23:59:59.987Z',
    dataContentType: 'application/json',
    data: { sequence: 1, comment: 'Test message: no print job has changed' },
    metadata: { correlationId: '7f1d1c55-1a6f-4f0b-9a53-6a6f4a3f0a11' },
  })
})
