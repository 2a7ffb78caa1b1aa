import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { layOut } from './lay-out.ts'
import { renderFields, renderTable } from './table.ts'

const now = new Date('2026-03-04T05:06:07Z')
const look = { now: () => now }

test('columns are as wide as their widest cell, counted in characters', () => {
  const rows = [
    ['acme', 'enabled'],
    ['société', 'disabled'],
    ['😀😀', ''],
  ]

  expect(layOut(renderTable(['user name', 'state'], rows), undefined)).toBe(
    ['USER NAME  STATE', 'acme       enabled', 'société    disabled', '😀😀'].join('\n'),
  )
})

test('each table of a text has its own columns, and other lines stay as they are', () => {
  const short = renderTable(['a', 'b'], [['1', '2']])
  const long = renderTable(['a', 'b'], [['1 and more', '2']])

  expect(layOut(`${short}\n\n${long}\nA line.  Another.`, look).split('\n')).toEqual([
    ...['\u001b[1mA\u001b[22m  \u001b[1mB\u001b[22m', '1  2', ''],
    ...[
      '\u001b[1mA\u001b[22m           \u001b[1mB\u001b[22m',
      '1 and more  2',
      'A line.  Another.',
    ],
  ])
})

test.for([
  ['2026-03-04T05:06:07Z', 'now'],
  ['2026-03-04T05:05:37.500Z', '29 sec ago'],
  ['2026-03-04T05:03:00.000Z', '3 min ago'],
  ['2026-03-04T07:06:07.000Z', 'in 2 hr'],
  ['2026-03-02T05:06:07.000Z', '2 days ago'],
  ['2025-03-02T05:06:07.000Z', '1 yr ago'],
  ['2026-03-04', '2026-03-04'],
  ['since 2026-03-04T05:06:07Z', 'since 2026-03-04T05:06:07Z'],
])('at a terminal, %s is shown as %s', ([cell, shown]) => {
  const text = renderTable(['id', 'at'], [['1', cell!]])

  expect(stripVTControlCharacters(layOut(text, look)).split('\n')[1]).toBe(`1   ${shown}`)
  expect(layOut(text, undefined).split('\n')[1]).toBe(`1   ${cell}`)
})

test('only a state has a colour, in the column of states', () => {
  const rows = [
    ['DEAD', 'DEAD (gone)'],
    ['other', 'unheard-of'],
  ]

  expect(
    layOut(renderTable(['id', 'status'], rows), look)
      .split('\n')
      .slice(1),
  ).toEqual(['DEAD   \u001b[31mDEAD (gone)\u001b[39m', 'other  unheard-of'])
})

test('fields are one below the other, without absent ones', () => {
  const fields = { name: 'Acme', 'e-mail': undefined, 'usage plan': 'standard' }

  expect(layOut(renderFields(fields), undefined)).toBe(
    ['  name        Acme', '  usage plan  standard'].join('\n'),
  )
})

test('at a terminal, a field has its time with the distance, and a state its colour', () => {
  const at = '2026-03-04T05:03:00.000Z'
  const text = renderFields({ status: 'REJECTED', submitted: at, id: 'REJECTED' })

  expect(layOut(text, look).split('\n')).toEqual([
    '  status     \u001b[31mREJECTED\u001b[39m',
    `  submitted  ${at} (3 min ago)`,
    '  id         REJECTED',
  ])
  expect(layOut(text, undefined)).toContain(`  submitted  ${at}\n`)
})
