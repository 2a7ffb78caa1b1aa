import { expect, test } from 'vitest'

// a module of the browser, which has no types
const { fromLondon, moment, zone } = await import(
  new URL('../public/format.js', import.meta.url).href
)

test.for([
  ['2026-01-31T09:00:00Z', '2026-01-31 09:00:00', 'GMT'],
  ['2026-06-30T23:30:05.999Z', '2026-07-01 00:30:05', 'BST'],
  ['2026-10-25T00:59:59Z', '2026-10-25 01:59:59', 'BST'],
  ['2026-10-25T01:00:00Z', '2026-10-25 01:00:00', 'GMT'],
  ['2026-12-31T00:00:00Z', '2026-12-31 00:00:00', 'GMT'],
])('%s is %s %s in the console, wherever its reader is', ([at, shown, clocks]) => {
  expect(moment(at)).toBe(shown)
  expect(zone(at)).toBe(clocks)
})

test.for([undefined, null, '', 'soon'])('what is no moment, such as %s, is a dash', (at) => {
  expect(moment(at)).toBe('–')
})

test.for([
  ['2026-01-31T09:00', '2026-01-31T09:00:00.000Z'],
  ['2026-07-01T00:30', '2026-06-30T23:30:00.000Z'],
  ['2026-10-25T01:30', '2026-10-25T00:30:00.000Z'],
  ['2026-10-25T02:00', '2026-10-25T02:00:00.000Z'],
  ['2026-03-29T02:00', '2026-03-29T01:00:00.000Z'],
])('%s in London is %s', ([local, at]) => {
  expect(fromLondon(local)).toBe(at)
})
