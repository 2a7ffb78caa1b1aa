import { expect, test } from 'vitest'
import { parseRecipient } from './parse-recipient.ts'

test('a recipient is a name, lines and a postcode', () => {
  expect(parseRecipient('A Person, 1 High Street ,Leeds, LS1 1AA')).toEqual({
    recipientName: 'A Person',
    address: {
      unstructuredAddress: { line1: '1 High Street', line2: 'Leeds', postcode: 'LS1 1AA' },
    },
  })
})

test('five lines are the most', () => {
  expect(parseRecipient('A, 1, 2, 3, 4, 5, LS1 1AA').address.unstructuredAddress).toEqual({
    line1: '1',
    line2: '2',
    line3: '3',
    line4: '4',
    line5: '5',
    postcode: 'LS1 1AA',
  })
})

test.each([
  '',
  'A Person',
  'A Person, LS1 1AA',
  'A, 1, 2, 3, 4, 5, 6, LS1 1AA',
  'A,, LS1 1AA',
  ', 1, LS1 1AA',
])('an invalid recipient is refused as wrong usage: "%s"', (text) => {
  expect(() => parseRecipient(text)).toThrow(
    expect.objectContaining({ exitCode: 2, message: expect.stringContaining('--to must be') }),
  )
})
