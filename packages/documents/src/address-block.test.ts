import { describe, expect, test } from 'vitest'
import { makeAddressBlock } from './address-block.ts'

const address = {
  recipientLine1: 'Ms Ann Other',
  recipientLine2: '',
  line1: '27 ACACIA AVENUE',
  line5: 'SWANSEA',
  postcode: 'SA1 1AA',
  dps: '1A',
}

function linesOf(block: ReturnType<typeof makeAddressBlock>) {
  if (block.kind === 'unprintable') return block
  return [...block.handling, ...block.address].map(({ text }) => text)
}

test('handling instruction, recipient, lines and postcode, without the empty ones', () => {
  expect(
    linesOf(makeAddressBlock(address, { line1: 'If undelivered:', line3: 'PO BOX 61' })),
  ).toEqual([
    'If undelivered:',
    'PO BOX 61',
    'Ms Ann Other',
    '27 ACACIA AVENUE',
    'SWANSEA',
    'SA1 1AA',
  ])
})

test('all fifteen lines', () => {
  const seven = {
    line1: 'a',
    line2: 'b',
    line3: 'c',
    line4: 'd',
    line5: 'e',
    line6: 'f',
    line7: 'g',
  }
  const full = { ...address, recipientLine2: '2', line2: 'x', line3: 'y', line4: 'z' }
  expect(linesOf(makeAddressBlock(full, seven))).toHaveLength(15)
})

test.each([
  ['line 5', { ...address, line5: 'BFPO 58', postcode: 'BF1 3AA' }],
  [
    'the only line',
    { recipientLine1: 'A', recipientLine2: '', line1: 'BFPO 58', postcode: 'BF1 3AA', dps: null },
  ],
])('nothing stands below a BFPO number in %s', (_, bfpo) => {
  expect(linesOf(makeAddressBlock(bfpo, undefined))).toEqual(
    expect.not.arrayContaining(['BF1 3AA']),
  )
})

describe('a character that cannot be printed is refused by the name of its line', () => {
  test.each([
    ['Recipient line 1', { recipientLine1: '李' }],
    ['Recipient line 2', { recipientLine2: 'Ann \u{1F600}' }],
    ['Address line 1', { line1: 'नमस्ते' }],
    ['Address line 5', { line5: '\ud800' }],
    ['Postcode', { postcode: 'ש' }],
    ['Address line 2', { line2: 'a\u0007b' }],
  ])('%s', (name, change) => {
    expect(makeAddressBlock({ ...address, ...change }, undefined)).toEqual({
      kind: 'unprintable',
      reason: `${name} has a character that cannot be printed.`,
    })
  })

  test('Handling instruction line 7', () => {
    expect(makeAddressBlock(address, { line1: 'a', line7: '★\u{E000}' })).toEqual({
      kind: 'unprintable',
      reason: 'Handling instruction line 7 has a character that cannot be printed.',
    })
  })
})

test('an address without a letter or digit is refused', () => {
  expect(
    makeAddressBlock({ recipientLine1: 'A', recipientLine2: '', line1: '-', dps: null }, undefined),
  ).toEqual({
    kind: 'unprintable',
    reason: 'The address has no line with a letter or a digit.',
  })
})
