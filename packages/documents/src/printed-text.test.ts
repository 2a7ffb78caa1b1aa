import { describe, expect, test } from 'vitest'
import { isPrintable, printedText } from './printed-text.ts'

test.each([
  ['27 High Street', '27 High Street'],
  ['w\u{302}yn', 'ŵyn'],
  ['a\u{A0}b\tc', 'a b c'],
  ['\u{FEFF}Ann\u{200B} \u{AD}Other', 'Ann Other'],
])('%j is printed as %j', (line, text) => {
  expect(printedText(line)).toBe(text)
})

describe('the typeface', () => {
  test.each([
    ['every visible character of Latin-1', range(0xa1, 0xff).replace('\u{AD}', '')],
    ['every letter of Latin Extended-A', range(0x100, 0x17f)],
    ['Welsh', 'ÂâÊêÎîÔôÛûŴŵŶŷÁáÉéÍíÓóÚúẂẃÝýÀàÈèÌìÒòÙùẀẁỲỳÄäËëÏïÖöÜüẄẅŸÿ'],
    ['Polish, Czech, Hungarian, Romanian', 'ĄąĆćĘęŁłŃńÓóŚśŹźŻżČčĎďĚěŇňŘřŠšŤťŮůŽžŐőŰűĂăȘșȚț'],
    ['Vietnamese', 'Nguyễn Thị Hường'],
    ['Greek', 'Γιώργος'],
    ['Cyrillic', 'Київ'],
    ['punctuation', '‘’“”–—…•€£№™'],
  ])('prints %s', (_, text) => {
    expect([...text].filter((character) => !isPrintable(character))).toEqual([])
  })

  test.each([
    ['Chinese', '李'],
    ['Arabic', 'محمد'],
    ['Hebrew', 'שלום'],
    ['Devanagari, which the typeface has but which needs shaping', 'न'],
    ['emoji', '😀'],
    ['a control character', '\u{7}'],
    ['half a character', '\ud83d'],
  ])('does not print %s', (_, text) => {
    expect(isPrintable(text)).toBe(false)
  })
})

function range(first: number, last: number): string {
  return String.fromCodePoint(
    ...Array.from({ length: last - first + 1 }, (_, index) => first + index),
  )
}
