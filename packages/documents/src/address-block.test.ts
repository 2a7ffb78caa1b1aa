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

test('the address block has handling instruction, recipient, lines and postcode, without empty lines', () => {
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

test('the address block has up to fifteen lines', () => {
  const seven = Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((at) => [`line${at}`, 'a']))
  const full = { ...address, recipientLine2: '2', line2: 'x', line3: 'y', line4: 'z' }
  expect(linesOf(makeAddressBlock(full, { line1: 'a', ...seven }))).toHaveLength(15)
})

test.each([
  ['line 5', { ...address, line5: 'BFPO 58', postcode: 'BF1 3AA' }],
  [
    'the only line',
    { recipientLine1: 'A', recipientLine2: '', line1: 'BFPO 58', postcode: 'BF1 3AA', dps: null },
  ],
])('no line follows a BFPO number in %s', (_, bfpo) => {
  expect(linesOf(makeAddressBlock(bfpo, undefined))).toEqual(
    expect.not.arrayContaining(['BF1 3AA']),
  )
})

describe('the refusal of an unprintable character names its line and position, not the character', () => {
  test.each([
    ['Recipient line 1', { recipientLine1: '李' }, 'a character', 'position 1'],
    ['Recipient line 2', { recipientLine2: 'Ann \u{1F600}' }, 'a character', 'position 5'],
    ['Address line 1', { line1: 'a नमस' }, 'characters', 'positions 3, 4 and 5'],
    ['Address line 5', { line5: '\ud800' }, 'a character', 'position 1'],
    ['Postcode', { postcode: 'שש' }, 'characters', 'positions 1 and 2'],
    ['Address line 2', { line2: 'a\u0007b' }, 'a character', 'position 2'],
    [
      'Address line 3',
      { line3: '李李李李李李李' },
      'characters',
      'positions 1, 2, 3, 4, 5 and 2 more',
    ],
  ])('%s', (name, change, what, where) => {
    const block = makeAddressBlock({ ...address, ...change }, undefined)
    expect(block).toEqual({
      kind: 'unprintable',
      findings: [
        {
          rule: 'address-character',
          severity: 'refusal',
          measured: { unit: 'characters', value: expect.any(Number) },
          allowed: { unit: 'characters', max: 0 },
          detail: `${name} has ${what} that cannot be printed, at ${where}.`,
        },
      ],
    })
  })

  test('each line is a finding, the handling instruction first', () => {
    const block = makeAddressBlock({ ...address, line1: '李' }, { line1: 'a', line7: '★\u{E000}' })
    expect(block.kind === 'unprintable' && block.findings.map(({ detail }) => detail)).toEqual([
      'Handling instruction line 7 has characters that cannot be printed, at positions 1 and 2.',
      'Address line 1 has a character that cannot be printed, at position 1.',
    ])
  })
})

test('an address without a letter or digit is refused', () => {
  expect(
    makeAddressBlock({ recipientLine1: 'A', recipientLine2: '', line1: '-', dps: null }, undefined),
  ).toEqual({
    kind: 'unprintable',
    findings: [
      {
        rule: 'address-empty',
        severity: 'refusal',
        detail: 'The address has no line with a letter or a digit.',
      },
    ],
  })
})

test.each([
  ['postcode and suffix', {}, 'SA11AA1A'],
  ['nothing without a suffix', { dps: null }, undefined],
  ['nothing for a suffix that does not exist', { dps: 'ZZ' }, undefined],
  ['nothing for a postcode of no area', { postcode: 'XX1 1AA' }, undefined],
  ['nothing for the forces', { line5: 'BFPO 58', postcode: 'BF1 3AA' }, undefined],
])('the postal barcode contains %s', (_, change, said) => {
  const block = makeAddressBlock({ ...address, ...change }, undefined)
  expect(block.kind === 'block' ? block.deliveryPoint : block).toBe(said)
})
