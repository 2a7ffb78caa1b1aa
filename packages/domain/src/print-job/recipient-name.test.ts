import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { wrapRecipientName } from './recipient-name.ts'

const x = (count: number) => 'x'.repeat(count)
const y = (count: number) => 'y'.repeat(count)
const car = '🚗'

describe('a name of at most 45 characters is printed unchanged on one line', () => {
  test.each([
    ['one character', 'A'],
    ['44 characters', x(44)],
    ['45 characters', x(45)],
    ['with spaces and hyphens', 'Mary-Jane  Smith '],
    ['45 characters with a space', `${x(20)} ${y(24)}`],
    ['45 astral characters', car.repeat(45)],
  ])('%s', (_, name) => {
    expect(wrapRecipientName(name)).toEqual({ recipientLine1: name, recipientLine2: '' })
  })
})

describe('a longer name is broken', () => {
  test.each([
    ['at a space in the 43rd place', `${x(42)} ${y(10)}`, x(42), y(10)],
    ['at a space in the 44th place', `${x(43)} ${y(10)}`, x(43), y(10)],
    ['not at a space in the 45th place', `${x(44)} ${y(10)}`, `${x(44)} `, y(10)],
    ['not at a space in the 46th place', `${x(45)} ${y(10)}`, x(45), ` ${y(10)}`],
    ['at the last of several spaces', `${x(5)} ${x(5)} ${y(40)}`, `${x(5)} ${x(5)}`, y(40)],
    ['at the second of two spaces', `${x(20)}  ${y(30)}`, `${x(20)} `, y(30)],
    [
      'at a space rather than at a later hyphen',
      `${x(5)} ${x(5)}-${y(40)}`,
      x(5),
      `${x(5)}-${y(39)}`,
    ],
    ['at a space in the 2nd place', `x ${y(45)}`, 'x', y(45)],
    ['not at a space in the first place', ` ${y(45)}`, ` ${y(44)}`, 'y'],
    ['after a hyphen in the 44th place', `${x(43)}-${y(10)}`, `${x(43)}-`, y(10)],
    ['not after a hyphen in the 45th place', `${x(44)}-${y(10)}`, `${x(44)}-`, y(10)],
    ['not after a hyphen in the 46th place', `${x(45)}-${y(10)}`, x(45), `-${y(10)}`],
    ['after the last of several hyphens', `${x(5)}-${x(5)}-${y(40)}`, `${x(5)}-${x(5)}-`, y(40)],
    ['after a hyphen when the only space is first', ` ${x(5)}-${y(45)}`, ` ${x(5)}-`, y(45)],
    ['after a hyphen in the first place', `-${y(45)}`, '-', y(45)],
    ['hard after 45 characters without either', x(46), x(45), 'x'],
    [
      'counting astral characters once',
      `${car.repeat(43)} ${car.repeat(45)}`,
      car.repeat(43),
      car.repeat(45),
    ],
    ['hard after 45 astral characters', car.repeat(46), car.repeat(45), car],
  ])('%s', (_, name, recipientLine1, recipientLine2) => {
    expect(wrapRecipientName(name)).toEqual({ recipientLine1, recipientLine2 })
  })
})

describe('characters that find no place are omitted', () => {
  test.each([
    ['90 characters fill both lines', x(90), x(45), x(45)],
    ['the 91st is omitted', `${x(90)}y`, x(45), x(45)],
    ['the name is cut at 90 before it is broken', `${x(40)} ${y(44)}${x(50)}`, x(40), `${y(44)}x`],
    ['line 2 ends after 45 although 90 are not used up', `x ${y(88)}`, 'x', y(45)],
    ['255 characters', x(255), x(45), x(45)],
    ['91 astral characters', car.repeat(91), car.repeat(45), car.repeat(45)],
  ])('%s', (_, name, recipientLine1, recipientLine2) => {
    expect(wrapRecipientName(name)).toEqual({ recipientLine1, recipientLine2 })
  })
})

describe('for every name', () => {
  const anyName = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 255 }),
    fc.string({ unit: fc.constantFrom('x', 'y', ' ', '-', car), minLength: 1, maxLength: 255 }),
  )

  test('each line has at most 45 characters and line 1 at least one', () => {
    fc.assert(
      fc.property(anyName, (name) => {
        const { recipientLine1, recipientLine2 } = wrapRecipientName(name)
        expect([...recipientLine1].length).toBeGreaterThan(0)
        expect([...recipientLine1].length).toBeLessThanOrEqual(45)
        expect([...recipientLine2].length).toBeLessThanOrEqual(45)
      }),
    )
  })

  test('the lines are the name from its start, without at most one space between them', () => {
    fc.assert(
      fc.property(anyName, (name) => {
        const { recipientLine1, recipientLine2 } = wrapRecipientName(name)
        const joined = [`${recipientLine1}${recipientLine2}`, `${recipientLine1} ${recipientLine2}`]
        expect(joined.some((text) => name.startsWith(text))).toBe(true)
      }),
    )
  })

  test('line 2 is used only when the name is longer than 45 characters', () => {
    fc.assert(
      fc.property(anyName, (name) => {
        const isLong = [...name].length > 45
        expect(wrapRecipientName(name).recipientLine1 === name).toBe(!isLong)
      }),
    )
  })
})
